import Logging
import OfferService
import Offers
import ServiceLifecycle
import Storage
import Synchronization

/// Puts each configuration that comes into use in the log and on record: at once, or when the ledger can be written again.
final class ConfigurationRecorder: Service {
    private struct State {
        var inUse: ConfigurationInUse?
        /// Whether what is in use is not on record yet.
        var isDue = false
    }

    private struct Recorded {
        let before: ConfigurationInUse?
    }

    /// How long one attempt may take, and how long a start or a reload repeats it, with what pause.
    private static let (patience, look) = (Duration.seconds(2), Duration.milliseconds(20))
    /// The pause between later attempts.
    private static let pause = Duration.seconds(1)

    private let ledger: OpenLedger
    private let logger: Logger
    private let state = Mutex(State())

    init(_ ledger: OpenLedger, logger: Logger) {
        self.ledger = ledger
        self.logger = logger
    }

    /// The SHA-256 of the configuration in use, 64 digits; empty before there is one.
    var sha256: String { state.withLock { $0.inUse?.sha256 ?? "" } }

    /// Takes a configuration that is in use from now on.
    func use(_ configuration: ConfigurationInUse) async {
        let before = state.withLock { state in
            defer { state = State(inUse: configuration, isDue: true) }
            return state.inUse
        }
        let end = ContinuousClock.now + Self.patience
        var recorded = await record()
        // Just after a start, PostgreSQL's connections are still being made.
        while recorded == nil, .now < end {
            try? await Task.sleep(for: Self.look)
            recorded = await record()
        }
        log(configuration, since: before ?? recorded?.before, isOnRecord: recorded != nil)
    }

    func run() async throws {
        var isLast = false
        while !isLast {
            isLast = (try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }) == nil
            guard let due = state.withLock({ $0.isDue ? $0.inUse : nil }), let recorded = await record() else {
                continue
            }
            log(due, since: recorded.before, isOnRecord: true)
        }
    }

    /// Records the configuration in use, and gives the newest one that was on record before, if any; `nil` where that did
    /// not succeed in time.
    private func record() async -> Recorded? {
        await TimeLimit.value(by: .now + Self.patience, otherwise: nil) { [self] in await attempt() }
    }

    private func attempt() async -> Recorded? {
        guard ledger.fault == nil, let due = state.withLock(\.inUse) else { return nil }
        do throws(StorageFailure) {
            let before = try await ledger.journal.record(configuration: due.json)
            state.withLock { state in if state.inUse == due { state.isDue = false } }
            return Recorded(before: before.flatMap { ConfigurationInUse(recorded: $0) })
        } catch {
            logger.debug("the configuration is not on record yet", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private func log(_ configuration: ConfigurationInUse, since before: ConfigurationInUse?, isOnRecord: Bool) {
        var metadata: Logger.Metadata = ["sha256": "\(configuration.sha256)"]
        let changes = before.map { configuration.changes(since: $0) }
        metadata["changes"] = .array((changes?.lines ?? []).map { .string($0) })
        if let count = changes?.leftOut, count > 0 { metadata["leftOut"] = "\(count)" }
        if !isOnRecord { metadata["record"] = "it follows once the ledger can be written" }
        logger.notice("configuration in use", metadata: metadata)
    }
}

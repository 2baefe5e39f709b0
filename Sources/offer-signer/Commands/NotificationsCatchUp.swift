import AppStore
import ArgumentParser
import OfferService
import Offers
import Storage

struct NotificationsCatchUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catch-up",
        abstract: "Reads Apple's notification history again, and counts what it brings by type.",
        discussion: """
            For a new installation, or after an upgrade: known notifications are merged again, and told in no feed twice. The \
            service may be running. Stopped and called again, the command goes on where it was.
            """
    )

    @Option(help: ArgumentHelp("Only this app; otherwise every app of the catalog.", valueName: "id"))
    var bundleId: String?

    @Option(
        help: ArgumentHelp(
            "How far back: 180d or 12h. Apple keeps 180 days, in the Sandbox 30.",
            valueName: "duration"
        ),
        transform: Self.seconds
    )
    var since: Int64 = 180 * 86_400

    @OptionGroup var options: ConfigurationOptions

    /// How many failures in a row end the reading of an app: the command can be called again.
    private static let mostFailures = 10
    /// How long there is no line about the progress.
    private static let silence = Duration.seconds(2)

    func validate() throws { if let bundleId { try Identifier.check(["--bundle-id": bundleId]) } }

    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["d": 86_400, "h": 3600]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (1...180 * 86_400 / unit).contains(count), text.first != "+"
        else {
            throw ValidationError("--since is a number of days or hours, such as 180d or 12h: 180 days at most.")
        }
        return count * unit
    }

    func run() async throws {
        let service = try options.load()
        let transport = AsyncHTTPTransport()
        do {
            let history = service.notificationHistory(over: transport, logger: service.commandLogger)
            let owners = try service.historyOwners(of: bundleId, by: history)
            try await OpenLedger.use(service.settings) { opened in
                let useCase = CatchUpNotifications(
                    history,
                    store: opened.historyProgress,
                    takeNotifications: service.takeNotifications(
                        remembering: StateMemory(states: opened.journal, digester: opened.digestKey),
                        reportingTo: opened.clock
                    ),
                    by: .command,
                    now: WallClock.now
                )
                var failure: ExitCode?
                for owner in owners {
                    do {
                        try await read(owner, by: useCase)
                    } catch let fault as ValueFault {
                        failure = Console.failure(fault.message)
                    }
                }
                if let failure { throw failure }
            }
            await transport.shutdown()
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    private func read(_ owner: HistoryOwner, by useCase: CatchUpNotifications<AppStoreNotificationReader>) async throws
    {
        let name = "\(owner.bundleId), \(owner.environment.rawValue)"
        let begin = WallClock.now().adding(seconds: -since)
        var tally = CatchUpTally()
        var failures = 0
        while true {
            do throws(HistoryFault) {
                let step = try await useCase.step(of: owner, since: begin)
                failures = 0
                tally.add(step)
                if step.isDone { break }
                if let line = tally.progress(step.progress, at: WallClock.now(), after: Self.silence) {
                    Console.message("\(name): \(line)")
                }
            } catch {
                failures += 1
                guard error.kind != .keyRefused else { throw ValueFault("\(name): \(error)") }
                guard failures < Self.mostFailures, error.kind != .windowRefused else {
                    throw ValueFault("\(name): \(error); call the command again, and it goes on from there")
                }
                let seconds = error.pauseSeconds(afterFailures: failures)
                Console.message("\(name): \(error); again in \(seconds) s")
                try await Task.sleep(for: .seconds(seconds))
            }
        }
        try Console.result("\(name): \(tally.summary)")
        for (type, count) in tally.read.sorted(by: { $0.key < $1.key }) {
            try Console.result("  \(type): \(count), new \(tally.recovered[type] ?? 0)")
        }
    }
}

/// The counts of a command that reads the history, its rate, and an estimate of its end.
struct CatchUpTally {
    private(set) var read: [String: Int] = [:]
    private(set) var recovered: [String: Int] = [:]
    private var refused = 0
    private let start = ContinuousClock.now
    private var lastLine = ContinuousClock.now
    private var firstMark: Timestamp?

    private var count: Int { read.values.reduce(0, +) }

    mutating func add(_ step: CatchUpNotifications<AppStoreNotificationReader>.Step) {
        read.merge(step.read, uniquingKeysWith: +)
        recovered.merge(step.recovered, uniquingKeysWith: +)
        refused += step.refused
        firstMark = firstMark ?? step.progress.window?.start ?? step.progress.mark
    }

    /// A line about how far it is; `nil` while the last one is newer than the silence.
    mutating func progress(_ progress: HistoryProgress, at now: Timestamp, after silence: Duration) -> String? {
        guard lastLine.duration(to: .now) >= silence else { return nil }
        lastLine = .now
        let seconds = max(start.duration(to: .now) / .seconds(1), 0.001)
        var line = "\(progress.mark.rfc3339.prefix(10)), \(count.of("notification")), \(Int(Double(count) / seconds))/s"
        let done = milliseconds(from: firstMark, to: progress.mark)
        let left = milliseconds(from: progress.mark, to: now)
        if done > 0 { line += ", about \(Int(seconds * left / done / 60) + 1) min left" }
        return line
    }

    var summary: String {
        "\(count.of("notification")), new \(recovered.values.reduce(0, +))"
            + (refused > 0 ? ", not for this app or not genuine \(refused)" : "")
    }

    private func milliseconds(from start: Timestamp?, to end: Timestamp) -> Double {
        start.map { Double(end.millisecondsSince1970) - Double($0.millisecondsSince1970) } ?? 0
    }
}

package import Offers
import StrictJSON
import Synchronization

/// The readiness of the service, with warnings for its operator: the source of `/readyz`.
package final class Readiness: Sendable {
    package enum Phase: String, Sendable {
        case starting
        case ready
        /// Requests in flight are finished, and then the service ends.
        case draining
    }

    private let phase = Mutex(Phase.starting)
    private let details: @Sendable () -> ReadinessDetails

    /// Starts in the phase `starting`; `details` is called for each answer.
    package init(details: @escaping @Sendable () -> ReadinessDetails) {
        self.details = details
    }

    /// Moves on to a phase; a service that is draining stays so.
    package func enter(_ next: Phase) {
        phase.withLock { phase in
            if phase != .draining { phase = next }
        }
    }

    package var isReady: Bool { phase.withLock { $0 } == .ready && details().faults.isEmpty }
    package var warnings: [ReadinessWarning] { details().warnings }

    /// The status in a word with its reasons: the phase, or `unready` where a fault keeps the service from being ready.
    package func report() -> (status: String, details: ReadinessDetails) {
        let phase = phase.withLock { $0 }
        let details = details()
        return (phase == .ready && !details.faults.isEmpty ? "unready" : phase.rawValue, details)
    }

    /// The answer of `/readyz`, with the reasons as JSON.
    func answer() -> (isReady: Bool, json: [UInt8]) {
        let (status, details) = report()
        let isReady = status == Phase.ready.rawValue
        var writer = JSONWriter()
        writer.object { answer in
            answer.member("status", status)
            answer.object("details") { $0.members(of: details) }
        }
        return (isReady, writer.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func members(of details: ReadinessDetails) {
        member("warnings", details.warnings.map(\.text))
        member("faults", details.faults)
        member("keyMemory", details.keyMemory)
        member("configurationSHA256", details.configurationSHA256)
        object("reloads") { reloads in
            reloads.member("completed", Int64(details.reloads.completed))
            reloads.member("refused", Int64(details.reloads.refused))
            reloads.member("lastFaults", details.reloads.lastFaults)
        }
    }
}

/// The state of a running service for its operator, as `/readyz` shows it.
package struct ReadinessDetails: Equatable, Sendable {
    package var warnings: [ReadinessWarning]
    /// Faults that keep the service from being ready: it gets no requests as long as there is any.
    package var faults: [String]
    /// The memory of the keys: `secret`, `locked` or `unlocked` memory.
    package var keyMemory: String
    /// The SHA-256 of the configuration in use, 64 digits.
    package var configurationSHA256: String
    package var reloads: ReloadRecord

    package init(
        warnings: [ReadinessWarning] = [],
        faults: [String] = [],
        keyMemory: String = "locked",
        configurationSHA256: String = "",
        reloads: ReloadRecord = ReloadRecord()
    ) {
        self.warnings = warnings
        self.faults = faults
        self.keyMemory = keyMemory
        self.configurationSHA256 = configurationSHA256
        self.reloads = reloads
    }
}

/// A fault in spite of which the service works; `text` and `fix` are a sentence each.
package struct ReadinessWarning: Equatable, Sendable {
    /// The subject of a warning, by which alerts know it.
    package enum Kind: String, CaseIterable, Sendable {
        /// A setting that its author may not have meant so.
        case configuration
        case certificate
        /// A changed setting that needs a restart.
        case restart
        /// The memory in which signatures are computed.
        case memory
        /// Signatures on record, and the database that they are in.
        case ledger
        /// The state that is held of customers.
        case state
        /// The counts of decisions.
        case funnel
        /// Apple's notification history.
        case history
    }

    package let kind: Kind
    package let text: String
    package let fix: String

    /// Creates a warning, by default with the usual fix of its kind.
    package init(_ kind: Kind, _ text: String, fix: String? = nil) {
        self.kind = kind
        self.text = text
        self.fix = fix ?? kind.fix
    }
}

extension ReadinessWarning.Kind {
    fileprivate var fix: String {
        switch self {
        case .configuration:
            "Change that place, see with `offer-signer check` that the warning is gone, and reload (SIGHUP)."
        case .certificate: "Put the renewed certificate and its key in place of the files: no reload is needed."
        case .restart: "Restart the service: what is under way is answered first."
        case .memory: "Use the OpenSSL that the system's packages have, and restart the service."
        case .ledger: "See to the disk or the database that it names. It goes away by itself once that works again."
        case .state: "See to the database. What was let go is learnt again when it is sent again."
        case .history:
            "Look Apple's errorCode up, and set right what it names; it is tried again every hour, and after a restart."
        case .funnel: "See to the database before the service stops: until then the counts are in memory alone."
        }
    }
}

/// The reloads of a running service.
package struct ReloadRecord: Equatable, Sendable {
    package private(set) var completed = 0
    /// Refused reloads: the configuration in use stayed in use.
    package private(set) var refused = 0
    /// The faults of the last reload; empty when it took effect.
    package private(set) var lastFaults: [String] = []
    /// The moment of the last reload; `nil` before the first.
    package private(set) var lastAt: Timestamp?

    package init() {}

    package mutating func recordCompletion(at moment: Timestamp? = nil) {
        completed += 1
        lastFaults = []
        lastAt = moment
    }

    /// Records a refused reload; `faults` are one sentence each, without secrets.
    package mutating func recordRefusal(_ faults: [String], at moment: Timestamp? = nil) {
        refused += 1
        lastFaults = faults
        lastAt = moment
    }
}

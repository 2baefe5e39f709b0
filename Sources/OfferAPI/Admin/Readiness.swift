package import Offers
import StrictJSON
import Synchronization

/// Whether the service should get requests, and what an operator should know: what `/readyz` answers from.
package final class Readiness: Sendable {
    /// The phases of a service's life.
    package enum Phase: String, Sendable {
        /// The service does not accept requests yet.
        case starting
        /// Accepting requests.
        case ready
        /// Finishing what is in flight, and then gone.
        case draining
    }

    private let phase = Mutex(Phase.starting)
    private let details: @Sendable () -> ReadinessDetails

    /// Creates the readiness of a service that is starting.
    ///
    /// - Parameter details: What there is to tell now; asked anew for each answer.
    package init(details: @escaping @Sendable () -> ReadinessDetails) {
        self.details = details
    }

    /// Moves on to a phase.
    ///
    /// A service that is draining stays so.
    ///
    /// - Parameter next: The phase.
    package func enter(_ next: Phase) {
        phase.withLock { phase in
            if phase != .draining { phase = next }
        }
    }

    /// Whether the service should get requests this moment.
    package var isReady: Bool { phase.withLock { $0 } == .ready && details().faults.isEmpty }

    /// The warnings of this moment: the service works all the same.
    package var warnings: [ReadinessWarning] { details().warnings }

    /// The status of this moment in a word, with the reasons: the phase, or `unready` where a fault keeps the service from
    /// being ready.
    ///
    /// - Returns: Both.
    package func look() -> (status: String, details: ReadinessDetails) {
        let phase = phase.withLock { $0 }
        let details = details()
        return (phase == .ready && !details.faults.isEmpty ? "unready" : phase.rawValue, details)
    }

    /// The answer of this moment: whether the service should get requests, and the reasons as JSON.
    func answer() -> (isReady: Bool, json: [UInt8]) {
        let (status, details) = look()
        let isReady = status == Phase.ready.rawValue
        var writer = JSONWriter()
        writer.object { answer in
            answer.member("status", status)
            answer.member("details")
            answer.object { $0.members(of: details) }
        }
        return (isReady, writer.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func members(of details: ReadinessDetails) {
        list("warnings", details.warnings.map(\.text))
        list("faults", details.faults)
        member("keyMemory", details.keyMemory)
        member("reloads")
        object { reloads in
            reloads.member("completed", Int64(details.reloads.completed))
            reloads.member("refused", Int64(details.reloads.refused))
            reloads.list("lastFaults", details.reloads.lastFaults)
        }
    }

    private mutating func list(_ name: StaticString, _ texts: [String]) {
        member(name)
        array { list in
            for text in texts { list.string(text) }
        }
    }
}

/// The state of a running service for its operator, as `/readyz` has it.
package struct ReadinessDetails: Equatable, Sendable {
    /// Faults that do not keep the service from working.
    package var warnings: [ReadinessWarning]
    /// Faults that keep the service from being ready: it gets no requests as long as there is any.
    package var faults: [String]
    /// The memory of the keys: `secret`, `locked` or `unlocked` memory.
    package var keyMemory: String
    /// What became of reloads.
    package var reloads: ReloadRecord

    /// Creates details.
    ///
    /// - Parameters:
    ///   - warnings: Faults that do not keep the service from working.
    ///   - faults: Faults that keep the service from being ready.
    ///   - keyMemory: The memory of the keys: `secret`, `locked` or `unlocked` memory.
    ///   - reloads: What became of reloads.
    package init(
        warnings: [ReadinessWarning] = [],
        faults: [String] = [],
        keyMemory: String = "locked",
        reloads: ReloadRecord = ReloadRecord()
    ) {
        self.warnings = warnings
        self.faults = faults
        self.keyMemory = keyMemory
        self.reloads = reloads
    }
}

/// Something that an operator should know though the service works.
package struct ReadinessWarning: Equatable, Sendable {
    /// The subject of a warning, by which alerts know it.
    package enum Kind: String, CaseIterable, Sendable {
        /// A setting that its author may not have meant so.
        case configuration
        /// The certificate that TLS shows.
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
    }

    /// Its subject.
    package let kind: Kind
    /// The warning in a sentence.
    package let text: String
    /// What to do about it, in a sentence.
    package let fix: String

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - kind: Its subject.
    ///   - text: The warning in a sentence.
    ///   - fix: What to do about it; by default what helps with others of the kind.
    package init(_ kind: Kind, _ text: String, fix: String? = nil) {
        self.kind = kind
        self.text = text
        self.fix = fix ?? kind.fix
    }
}

extension ReadinessWarning.Kind {
    /// What helps with most warnings of the kind.
    fileprivate var fix: String {
        switch self {
        case .configuration:
            "Change that place, see with `offer-signer check` that the warning is gone, and reload (SIGHUP)."
        case .certificate: "Put the renewed certificate and its key in place of the files, and reload (SIGHUP)."
        case .restart: "Restart the service: what is under way is answered first."
        case .memory: "Use the OpenSSL that the system's packages have, and restart the service."
        case .ledger: "See to the disk or the database that it names. It goes away by itself once that works again."
        case .state: "See to the database. What was let go is learnt again when it is sent again."
        case .funnel: "See to the database before the service stops: until then the counts are in memory alone."
        }
    }
}

/// What became of the reloads of a running service.
package struct ReloadRecord: Equatable, Sendable {
    /// How many took effect.
    package private(set) var completed = 0
    /// How many were refused, so that what was in use stayed in use.
    package private(set) var refused = 0
    /// The faults of the last reload; empty when it took effect.
    package private(set) var lastFaults: [String] = []
    /// When the last one was; `nil` where there was none.
    package private(set) var lastAt: Timestamp?

    /// Creates the record of a service that was never reloaded.
    package init() {}

    /// Notes a reload that took effect.
    ///
    /// - Parameter moment: When it did.
    package mutating func noteCompleted(at moment: Timestamp? = nil) {
        completed += 1
        lastFaults = []
        lastAt = moment
    }

    /// Notes a reload that was refused.
    ///
    /// - Parameters:
    ///   - faults: Why, one sentence each, without secrets.
    ///   - moment: When it was.
    package mutating func noteRefused(_ faults: [String], at moment: Timestamp? = nil) {
        refused += 1
        lastFaults = faults
        lastAt = moment
    }
}

import StrictJSON
import Synchronization

/// Whether the service should get requests, and what an operator should know: what `/readyz` answers from.
public final class Readiness: Sendable {
    /// The phases of a service's life.
    public enum Phase: String, Sendable {
        /// Not accepting requests yet.
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
    public init(details: @escaping @Sendable () -> ReadinessDetails) {
        self.details = details
    }

    /// Moves on to a phase.
    ///
    /// A service that is draining stays so.
    ///
    /// - Parameter next: The phase.
    public func enter(_ next: Phase) {
        phase.withLock { phase in
            if phase != .draining { phase = next }
        }
    }

    /// Whether the service should get requests this moment.
    public var isReady: Bool { phase.withLock { $0 } == .ready && details().faults.isEmpty }

    /// The warnings of this moment: the service works all the same.
    public var warnings: [ReadinessWarning] { details().warnings }

    /// The answer of this moment: whether the service should get requests, and the reasons as JSON.
    func answer() -> (isReady: Bool, json: [UInt8]) {
        let phase = phase.withLock { $0 }
        let details = details()
        let isReady = phase == .ready && details.faults.isEmpty
        var writer = JSONWriter()
        writer.object { answer in
            answer.member("status", phase == .ready && !isReady ? "unready" : phase.rawValue)
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
public struct ReadinessDetails: Equatable, Sendable {
    /// Faults that do not keep the service from working.
    public var warnings: [ReadinessWarning]
    /// Faults that keep the service from being ready: it gets no requests as long as there is any.
    public var faults: [String]
    /// The memory of the keys: `secret`, `locked` or `unlocked` memory.
    public var keyMemory: String
    /// What became of reloads.
    public var reloads: ReloadRecord

    /// Creates details.
    ///
    /// - Parameters:
    ///   - warnings: Faults that do not keep the service from working.
    ///   - faults: Faults that keep the service from being ready.
    ///   - keyMemory: The memory of the keys: `secret`, `locked` or `unlocked` memory.
    ///   - reloads: What became of reloads.
    public init(
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
public struct ReadinessWarning: Equatable, Sendable {
    /// The subject of a warning, by which alerts know it.
    public enum Kind: String, CaseIterable, Sendable {
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
    public let kind: Kind
    /// The warning in a sentence.
    public let text: String

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - kind: Its subject.
    ///   - text: The warning in a sentence.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// What became of the reloads of a running service.
public struct ReloadRecord: Equatable, Sendable {
    /// How many took effect.
    public private(set) var completed = 0
    /// How many were refused, so that what was in use stayed in use.
    public private(set) var refused = 0
    /// The faults of the last reload; empty when it took effect.
    public private(set) var lastFaults: [String] = []

    /// Creates the record of a service that was never reloaded.
    public init() {}

    /// Notes a reload that took effect.
    public mutating func noteCompleted() {
        completed += 1
        lastFaults = []
    }

    /// Notes a reload that was refused.
    ///
    /// - Parameter faults: Why, one sentence each, without secrets.
    public mutating func noteRefused(_ faults: [String]) {
        refused += 1
        lastFaults = faults
    }
}

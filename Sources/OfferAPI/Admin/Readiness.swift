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

    /// What an operator should know this moment, though the service works.
    public var warnings: [ReadinessWarning] { details().warnings }

    /// The answer of this moment: whether the service should get requests, and the reasons as JSON.
    ///
    /// - Returns: The `status` is that of the phase, and `unready` where a fault keeps a started service from requests.
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

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
    private let warnings: [String]

    /// Creates the readiness of a service that is starting.
    ///
    /// - Parameter warnings: What stays in the details for as long as the service runs.
    public init(warnings: [String]) {
        self.warnings = warnings
    }

    /// Whether the service should get requests.
    public var isReady: Bool { phase.withLock { $0 } == .ready }

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

    /// The phase and the details as JSON.
    var json: [UInt8] {
        let phase = phase.withLock { $0 }
        var writer = JSONWriter()
        writer.object { answer in
            answer.member("status", phase.rawValue)
            answer.member("details")
            answer.object { details in
                details.member("warnings")
                details.array { list in
                    for warning in warnings { list.string(warning) }
                }
            }
        }
        return writer.bytes
    }
}

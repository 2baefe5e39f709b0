public import CoreMetrics
import Synchronization

/// Refuses requests at once when those before them already wait too long, so that whoever is let in is answered soon.
///
/// It counts the requests that are complete and not worked on yet. A request that waits for Apple is being worked on, and
/// takes no place from others. Every call is plain and synchronous, for whatever way a request goes.
public final class AdmissionControl: Sendable {
    private let queue = Mutex(QueueLimit())
    private let start = ContinuousClock.now
    private let waits: Timer
    private let room: Gauge

    /// Begins with an empty queue.
    ///
    /// - Parameter factory: What keeps the metrics; by default nothing does.
    public init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        waits = Timer(label: "offer_signer_queue_wait_seconds", dimensions: [], factory: factory)
        room = Gauge(label: "offer_signer_queue_limit", dimensions: [], factory: factory)
        room.record(queue.withLock { $0.limit })
    }

    /// Whether another request would be let in, for a look before its body is read.
    var hasRoom: Bool { queue.withLock { $0.hasRoom } }

    /// Lets a request in, which is complete and is to be worked on.
    ///
    /// - Returns: `false` when it has to be refused; otherwise ``begin(after:)`` or ``abandon()`` has to follow.
    func enter() -> Bool { queue.withLock { $0.enter() } }

    /// A request that was let in is worked on from now on.
    ///
    /// - Parameter wait: How long it has waited.
    func begin(after wait: Duration) {
        let now = start.duration(to: .now)
        let limits = queue.withLock { queue in
            let before = queue.limit
            queue.leave(after: wait, at: now)
            return (before, queue.limit)
        }
        waits.recordNanoseconds(wait.wholeNanoseconds)
        if limits.0 != limits.1 { room.record(limits.1) }
    }

    /// A request that was let in has gone with its client.
    func abandon() { queue.withLock { $0.abandon() } }
}

extension Duration {
    /// The duration in nanoseconds.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

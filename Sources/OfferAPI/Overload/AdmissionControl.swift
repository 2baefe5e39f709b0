public import CoreMetrics
import NIOCore
import Synchronization

/// Refuses requests at once when those before them already wait too long, so that whoever is let in is answered soon.
///
/// There is a queue for those that a task works on, in which a request waits until its task begins. For those that are
/// answered on the event loops there are two: in one a request waits until the ledger has what was signed, in the other for
/// its answer alone. So a ledger that is slow keeps nobody from what needs no ledger. A request that waits for Apple is in
/// none of them, and takes no place from others. Every call is plain and synchronous.
public final class AdmissionControl: Sendable {
    /// What a request waits for in its queue.
    enum Queue: Int, Sendable {
        /// The beginning of its task.
        case task
        /// The ledger, and its answer.
        case signature
        /// Its answer, in which nothing is signed.
        case answer
    }

    /// The queue that waits for the ledger, and the room in it that was told last.
    private struct Signatures {
        var limit = QueueLimit()
        var told = 0
    }

    private let tasks = Mutex(QueueLimit())
    private let signatures = Mutex(Signatures())
    private let answers = Mutex(QueueLimit())
    private let waits: Timer
    private let room: Gauge

    /// Begins with empty queues.
    ///
    /// - Parameter factory: What keeps the metrics; by default nothing does.
    public init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        waits = Timer(label: "offer_signer_queue_wait_seconds", dimensions: [], factory: factory)
        room = Gauge(label: "offer_signer_queue_limit", dimensions: [], factory: factory)
        withLimit(of: .signature) { _ in }
    }

    /// Whether another request would be let in, for a look before its body is read.
    ///
    /// - Parameter queue: Its queue.
    /// - Returns: `true` when it would be.
    func hasRoom(in queue: Queue) -> Bool {
        let now = NIODeadline.now().uptimeNanoseconds
        return withLimit(of: queue) { $0.hasRoom(at: now) }
    }

    /// Lets a request in, which is complete and is to be worked on.
    ///
    /// - Parameter queue: Its queue.
    /// - Returns: Its place; `nil` when it has to be refused. ``leave(_:at:since:)`` or ``abandon(_:)`` has to follow.
    func enter(_ queue: Queue) -> Int? {
        let now = NIODeadline.now().uptimeNanoseconds
        return withLimit(of: queue) { $0.enter(at: now) }
    }

    /// A request has what it waited for.
    ///
    /// - Parameters:
    ///   - queue: Its queue.
    ///   - place: Its place when it came.
    ///   - start: Since when it has waited.
    func leave(_ queue: Queue, at place: Int, since start: NIODeadline) {
        let now = NIODeadline.now()
        let nanoseconds = (now - start).nanoseconds
        withLimit(of: queue) { $0.leave(place, after: nanoseconds, at: now.uptimeNanoseconds) }
    }

    /// A request has gone with its client, or waits for somebody else.
    ///
    /// - Parameter queue: Its queue.
    func abandon(_ queue: Queue) { withLimit(of: queue) { $0.abandon() } }

    /// Notes how long a request has waited until it was worked on.
    ///
    /// - Parameter nanoseconds: The time.
    func noteWait(_ nanoseconds: Int64) { waits.recordNanoseconds(nanoseconds) }

    private func withLimit<Result: Sendable>(of queue: Queue, _ body: (inout sending QueueLimit) -> sending Result)
        -> Result
    {
        switch queue {
        case .task: tasks.withLock(body)
        case .signature:
            signatures.withLock { queue in
                let result = body(&queue.limit)
                // Told with the lock held: of two numbers that are told in the wrong order the older one would stay.
                if queue.limit.limit != queue.told {
                    queue.told = queue.limit.limit
                    room.record(queue.told)
                }
                return result
            }
        case .answer: answers.withLock(body)
        }
    }
}

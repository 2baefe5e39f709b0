import NIOCore
import Synchronization

/// The queues of a listener: one for each event loop.
final class LoopQueues: Sendable {
    private let responder: any LoopResponder
    private let queues = Mutex<[ObjectIdentifier: NIOLoopBound<LoopQueue>]>([:])

    /// Creates the queues, of which each is made when it is needed.
    ///
    /// - Parameter responder: Answers the requests.
    init(answeredBy responder: any LoopResponder) {
        self.responder = responder
    }

    /// The queue of an event loop.
    ///
    /// - Parameter loop: The event loop, on which this is called.
    /// - Returns: The queue.
    func queue(on loop: any EventLoop) -> LoopQueue {
        let bound = queues.withLock { queues in
            if let known = queues[ObjectIdentifier(loop)] { return known }
            let new = NIOLoopBound(LoopQueue(on: loop, answeredBy: responder), eventLoop: loop)
            queues[ObjectIdentifier(loop)] = new
            return new
        }
        return bound.value
    }
}

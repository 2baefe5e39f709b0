import NIOCore

/// The requests that came in one tick of an event loop: they are answered together at its end.
///
/// Signing back to back keeps libcrypto's tables and code in the processor's caches, and what is signed in one tick is one
/// entry in the ledger's queue.
final class LoopQueue {
    /// How long the event loop looks after its connections when there was too much for one tick.
    private static let pause = TimeAmount.microseconds(50)

    private let loop: any EventLoop
    private let responder: any LoopResponder
    private var waiting: [LoopCall] = []
    private var isScheduled = false

    /// Creates the queue of an event loop.
    ///
    /// - Parameters:
    ///   - loop: The event loop, on which everything else here is called.
    ///   - responder: Answers the requests.
    init(on loop: any EventLoop, answeredBy responder: any LoopResponder) {
        self.loop = loop
        self.responder = responder
    }

    /// In which queue a request waits that may be answered here.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The queue; `nil` when it may not be.
    func queue(of head: RequestHead) -> AdmissionControl.Queue? { responder.queue(of: head) }

    /// Queues a request, until all that has arrived is read.
    ///
    /// - Parameter call: The request.
    func add(_ call: LoopCall) {
        waiting.append(call)
        guard !isScheduled else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { bound.value.answer() }
    }

    private func answer() {
        isScheduled = false
        let calls = waiting
        waiting.removeAll(keepingCapacity: true)
        let count = responder.answer(calls, on: loop)
        guard count < calls.count else { return }
        waiting.insert(contentsOf: calls[max(count, 1)...], at: 0)
        guard !waiting.isEmpty, !isScheduled else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        // A task that is executed at once would run before anything is read.
        loop.scheduleTask(in: Self.pause) { bound.value.answer() }
    }
}

@available(*, unavailable)
extension LoopQueue: Sendable {}

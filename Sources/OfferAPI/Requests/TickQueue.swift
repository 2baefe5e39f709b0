import NIOCore

/// The requests of one tick of an event loop, which are answered together at its end.
///
/// Signing back to back holds libcrypto's tables and code in the processor's caches, and the signatures of one tick are
/// one entry in the ledger's queue.
final class TickQueue {
    /// The time for which the event loop serves its connections when there was too much for one tick.
    private static let pause = TimeAmount.microseconds(50)

    private let loop: any EventLoop
    private let metrics: RequestMetrics
    private var waiting: [Request] = []
    private var isScheduled = false
    /// The signatures that a request is taken to ask for until its turn, when its body is read: as many as those of the last
    /// tick.
    private var likelySignatures = 1

    init(on loop: any EventLoop, notingIn metrics: RequestMetrics) {
        self.loop = loop
        self.metrics = metrics
    }

    /// Queues a request until all input is read; or refuses it, where too much waits.
    func add(_ request: Request) {
        let isForSignatures = request.call?.isForSignatures ?? false
        let place = Admission.Place.turn(
            isForSignatures: isForSignatures,
            offers: isForSignatures ? likelySignatures : 1
        )
        guard request.move(to: place) else { return request.refuse(.overloaded) }
        waiting.append(request)
        guard !isScheduled else { return }
        isScheduled = true
        schedule(after: nil)
    }

    private func schedule(after pause: TimeAmount?) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        if let pause {
            loop.scheduleTask(in: pause) { bound.value.answer() }
        } else {
            loop.execute { bound.value.answer() }
        }
    }

    private func answer() {
        // A request that comes while these are answered waits for the next turn.
        let requests = waiting
        waiting.removeAll(keepingCapacity: true)
        let now = NIODeadline.now()
        var rest = requests[...]
        var signatures = 0
        while let endpoints = rest.first?.endpoints {
            // After a reload some were let in by the configuration before.
            let count = rest.prefix { $0.endpoints === endpoints }.count
            let (taken, asked) = endpoints.answer(rest.prefix(count), on: loop)
            signatures += asked
            for request in rest.prefix(taken) { metrics.recordWait((now - request.completion).nanoseconds) }
            rest = rest.dropFirst(taken)
            if taken < count { break }
        }
        let isTooMuch = !rest.isEmpty
        let average = signatures / max(1, requests.count - rest.count)
        likelySignatures = min(max(1, average), ConnectionLimits.offersOfBurst)
        waiting.insert(contentsOf: rest, at: 0)
        isScheduled = !waiting.isEmpty
        // A task that is executed at once runs before anything is read.
        if isScheduled { schedule(after: isTooMuch ? Self.pause : nil) }
    }
}

@available(*, unavailable)
extension TickQueue: Sendable {}

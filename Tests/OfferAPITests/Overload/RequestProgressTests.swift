import PrometheusMetrics
import Testing

@testable import OfferAPI

@Suite("The place of a connection's request in its queue")
struct RequestProgressTests {
    private let registry = PrometheusRegistry()
    private let admission: AdmissionControl

    init() { admission = AdmissionControl(factory: registry) }

    private var noted: Int? {
        let name = "offer_signer_queue_wait_seconds_count "
        let lines = String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
    }

    /// Which place the next request would get, which is given back at once.
    private func next(in queue: AdmissionControl.Queue) -> Int? {
        let place = admission.enter(queue)
        admission.abandon(queue)
        return place
    }

    @Test("Who waits for the router has its place until it is worked on; how long it waited is noted")
    func task() {
        let progress = RequestProgress(admission)
        for turn in 1...3 {
            #expect(progress.enter(.task))
            #expect(next(in: .task) == 2)
            progress.begin()
            #expect(next(in: .task) == 1)
            #expect(noted == turn)
        }
    }

    @Test(
        "Who is answered on the event loop has its place until then, or until somebody else is waited for",
        arguments: [AdmissionControl.Queue.signature, .answer],
        [false, true]
    )
    func loop(queue: AdmissionControl.Queue, isAbandoned: Bool) {
        let progress = RequestProgress(admission)
        #expect(progress.enter(queue))
        progress.begin()
        #expect(next(in: queue) == 2)
        #expect(noted == 1)
        // Once, however often it is said.
        for _ in 0..<2 {
            if isAbandoned { progress.abandon() } else { progress.leave() }
            #expect(next(in: queue) == 1)
        }
    }
}

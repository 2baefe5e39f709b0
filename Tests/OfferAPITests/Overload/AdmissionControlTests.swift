import NIOCore
import PrometheusMetrics
import Testing

@testable import OfferAPI

@Suite("Letting requests in")
struct AdmissionControlTests {
    @Test("The room that is told is the room that there is: in overload, and from the first request after it")
    func toldRoom() async throws {
        let registry = PrometheusRegistry()
        let admission = AdmissionControl(factory: registry)
        #expect(told(by: registry) == 256)
        var places = fill(admission)
        // A request every 5 ms, and more than there is room for all the time.
        for _ in 0..<2000 where told(by: registry) >= 64 {
            try await Task.sleep(for: .milliseconds(5))
            if let (place, since) = places.popLast() { admission.leave(.signature, at: place, since: since) }
            places += fill(admission)
        }
        #expect(told(by: registry) < 64)
        for (place, since) in places { admission.leave(.signature, at: place, since: since) }
        // Nobody is refused for more than a second.
        try await Task.sleep(for: .milliseconds(1200))
        #expect(admission.hasRoom(in: .signature))
        #expect(told(by: registry) >= 64)
    }

    /// Takes all places that there are.
    private func fill(_ admission: AdmissionControl) -> [(Int, NIODeadline)] {
        var places: [(Int, NIODeadline)] = []
        while let place = admission.enter(.signature) { places.append((place, .now())) }
        return places
    }

    private func told(by registry: PrometheusRegistry) -> Int {
        let name = "offer_signer_queue_limit "
        let lines = String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? -1
    }
}

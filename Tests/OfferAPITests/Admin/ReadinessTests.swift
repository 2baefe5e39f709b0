import Testing

@testable import OfferAPI

@Suite("Readiness")
struct ReadinessTests {
    @Test("Starting, ready, draining, and never back")
    func phases() {
        let readiness = Readiness(warnings: ["the heap is not locked"])
        #expect(!readiness.isReady)
        readiness.enter(.ready)
        #expect(readiness.isReady)
        #expect(
            String(decoding: readiness.json, as: UTF8.self)
                == #"{"status":"ready","details":{"warnings":["the heap is not locked"]}}"#
        )
        readiness.enter(.draining)
        readiness.enter(.ready)
        #expect(!readiness.isReady)
    }
}

import NIOCore
import Testing

@testable import LoadGenerator

@Suite("A run")
struct LoadRunTests {
    @Test("A run whose target no longer listens says so, and ends all it has begun", arguments: [1, 2])
    func closedPort(eventLoops: Int) async throws {
        let request = LoadRequest(bytes: ByteBuffer(), expected: ExpectedAnswer(bundleId: "", account: "", offers: []))
        let hand = RequestDeck.Hand(name: "r", weight: 1, requests: .listed([request]), description: "")
        var plan = LoadPlan(RequestDeck([hand], offersPerRequest: 1), to: try ServiceAddress("http://127.0.0.1:1"))
        plan.eventLoops = eventLoops
        let fault = await #expect(throws: LoadFault.self) { try await LoadRun(plan).run() }
        #expect(fault?.description == "http://127.0.0.1:1: Connection refused")
    }
}

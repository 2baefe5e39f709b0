import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("Evidence from the App Store over sockets")
struct AppStoreEvidenceTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    private func body(_ evidence: String) -> String {
        #"{"evidence":{\#(evidence)},\#(Customers.offers("comeback50"))}"#
    }

    @Test("A receipt is looked up with the shared secret, in the Sandbox where production says so")
    func receipt() throws {
        let answer = Customers.lapsed.replacing("\"Production\"", with: "\"Sandbox\"")
        let server = try FakeServer { request in
            .init(200, request.path.hasPrefix("/production") ? #"{"status":21007}"# : answer)
        }
        let service = try RunningService(Installation(asking: server, trusting: authority))
        let response = try service.sign(body(#""receipt":"MIIB""#))
        #expect(response.status == 200)
        #expect(response.json["environment"] as? String == "Sandbox")
        #expect(response.decisions.first?["discount"] != nil)
        let requests = server.requests
        #expect(requests.map(\.path) == ["/production/verifyReceipt", "/sandbox/verifyReceipt"])
        #expect(requests.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains("hunter2") })
        // Asked again at once, Apple's answer is still at hand.
        #expect(try service.sign(body(#""receipt":"MIIB""#)).decisions.first?["discount"] != nil)
        #expect(server.requests.count == 2)
    }

    @Test("However many requests wait for Apple, those that do not are answered")
    func waiting() throws {
        let server = try FakeServer { _ in .init(delay: 60) }
        let service = try RunningService(
            Installation(asking: server, trusting: authority),
            flags: ["--app-store-timeout-seconds", "30"]
        )
        let waiting = try (1000..<1200).map { receipt in
            let connection = try Connection(to: service.server)
            try connection.send(Connection.post(body(#""receipt":"\#(receipt)""#)))
            return connection
        }
        while server.requests.count < 10 { usleep(10_000) }
        for _ in 0..<20 {
            let response = try service.sign(body(#""receiptResponse":\#(Customers.lapsed)"#))
            #expect(response.status == 200)
            #expect(response.decisions.first?["discount"] != nil)
        }
        #expect(waiting.allSatisfy { !$0.hasInput })
        service.kill()
    }
}

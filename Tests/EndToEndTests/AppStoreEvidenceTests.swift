import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("Evidence from the App Store over sockets")
struct AppStoreEvidenceTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    private func body(_ evidence: String, offer: String = "comeback50") -> String {
        #"{"evidence":{\#(evidence)},"offers":[{"productId":"pro.monthly","offerId":"\#(offer)"}]}"#
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

    @Test("A caller that leaves while Apple is asked gets no signature, and uses none of the customer's")
    func gone() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try FakeServer { _ in
            gate.wait()
            return .init(200, Customers.lapsed)
        }
        let installation = try Installation(asking: server, trusting: authority)
        try installation.limit(offer: "maximumSignaturesPerCustomer: 1")
        let service = try RunningService(installation, flags: ["--app-store-timeout-seconds", "60"])
        let question =
            #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","#
            + body(#""receipt":"MIIB""#, offer: "anyone").dropFirst()
        let impatient = try Connection(to: service.server)
        try impatient.send(Connection.post(question))
        while server.requests.isEmpty { usleep(10_000) }
        // Who closes its side right behind a request may still read.
        usleep(500_000)
        impatient.closeOutput()
        #expect(impatient.isClosed())
        gate.signal()
        let call = "offer_signer_requests_total{route=\"/v1/signatures\",status="
        while try !service.metrics().keys.contains(where: { $0.hasPrefix(call) }) { usleep(10_000) }
        #expect(try service.metrics()[call + "\"none\",client=\"backend\"}"] == 1)
        #expect(try service.metrics().allSatisfy { !$0.key.hasPrefix("offer_signer_signatures") || $0.value == 0 })
        gate.signal()
        #expect(try service.sign(question).decisions.first?["discount"] != nil)
        #expect(try service.sign(question).decisions.first?["reason"] as? String == "signature_limit")
    }
}

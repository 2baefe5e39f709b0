import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("Each client keeps to its limits")
struct ClientLimitTests {
    private static let body = #"{"applicationUsername":"a",\#(Customers.offers("anyone"))}"#

    @Test("Requests at once beyond the cap are 429 with Retry-After and RateLimit, until one of them is answered")
    func concurrency() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try FakeServer { _ in
            gate.wait()
            return .init(500)
        }
        let installation = try Installation(asking: server, trusting: try TestAuthority())
        try installation.edit(
            "clients.yaml",
            "evidence:",
            "concurrentRequests: 2, signaturesPerSecond: 1000, evidence:"
        )
        let service = try RunningService(installation, flags: ["--app-store-timeout-seconds", "30"])
        let waiting = try ["AAAA", "AAAB"].map { receipt in
            let body =
                #"{"evidence":{"receipt":"\#(receipt)"},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
            let connection = try Connection(to: service.server)
            try connection.send(
                "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            return connection
        }
        while server.requests.count < 2 { usleep(10_000) }
        for path in ["/v1/signatures", "/v1/eligibility"] {
            let third = try service.ask(path, Self.body)
            #expect(third.status == 429)
            #expect(third.json["code"] as? String == "too_many_requests")
            #expect(third.headers["retry-after"] == "1")
            #expect(third.headers["ratelimit"] != nil)
        }
        // As often as Apple may be asked again.
        for _ in 0..<20 { gate.signal() }
        #expect(try waiting.allSatisfy { try $0.receive().status == 503 })
        #expect(try service.sign(Self.body).status == 200)
        // Whichever way a request went, and whatever came of it, it is none of the two any more.
        for path in ["/v1/signatures?", "/v1/diagnoses", "/v1/product-reports"] {
            for _ in 0..<3 { #expect(try service.ask(path, "{").status == 400) }
        }
    }
}

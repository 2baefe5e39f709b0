import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("Each client keeps to its limits")
struct ClientLimitTests {
    private static let body = #"{"applicationUsername":"a","offers":[\#(offers)]}"#
    private static let offers = Array(repeating: #"{"productId":"pro.monthly","offerId":"anyone"}"#, count: 60)
        .joined(separator: ",")

    private func installation(
        _ settings: String,
        otherToken: String? = nil,
        in given: Installation? = nil
    ) throws -> Installation {
        let installation = try given ?? Installation()
        let digests = try ([Installation.token] + [otherToken].compactMap(\.self)).map { token in
            "\"\(try Installation.digest(of: token))\""
        }
        try installation.directory.write(
            "clients.yaml",
            """
            clients:
              - name: backend
                tokenSHA256: [\(digests.joined(separator: ", "))]
                apps: [\(Installation.bundleId)]
                \(settings)
            """
        )
        return installation
    }

    @Test(
        "Signatures beyond the rate are 429 with Retry-After, the rest of the API is not, and a reload forgets nothing"
    )
    func rate() throws {
        let service = try RunningService(try installation("signaturesPerSecond: 1"))
        let first = try service.sign(Self.body)
        #expect(first.status == 200)
        #expect(first.headers["ratelimit-policy"] == "\"signatures\";q=1;w=1")
        #expect(first.headers["ratelimit"]?.contains(#/^"signatures";r=\d+;t=\d+$/#) == true)
        try service.reload()
        let second = try service.sign(Self.body)
        #expect(second.status == 429)
        #expect(second.json["code"] as? String == "rate_limited")
        #expect((Int(second.headers["retry-after"] ?? "") ?? 0) > 1)
        #expect(second.headers["ratelimit"] != nil)
        let connection = try Connection(to: service.server)
        #expect(try connection.request("POST", "/v1/eligibility", body: Self.body).status == 200)
    }

    @Test("Requests at once beyond the cap are 429 with Retry-After and RateLimit, until one of them is answered")
    func concurrency() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try FakeServer { _ in
            gate.wait()
            return .init(500)
        }
        let installation = try installation(
            "concurrentRequests: 2\n    signaturesPerSecond: 1000",
            in: Installation(asking: server, trusting: try TestAuthority())
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

    @Test("The old token and the new one are good, until a reload takes the old one away")
    func rotation() throws {
        let installation = try installation("signaturesPerSecond: 1000", otherToken: "the-next-token")
        let service = try RunningService(installation)
        func ask(_ token: String) throws -> Int {
            let headers = ["Authorization: Bearer \(token)", "Content-Type: application/json"]
            return try Connection(to: service.server).request(
                "POST",
                "/v1/signatures",
                headers: headers,
                body: Self.body
            )
            .status
        }
        #expect(try ask(Installation.token) == 200)
        #expect(try ask("the-next-token") == 200)
        let text = try String(contentsOfFile: installation.directory.path("clients.yaml"), encoding: .utf8)
        try installation.directory.write("clients.yaml", text.replacing(#/\["[0-9a-f]{64}", /#, with: "["))
        try service.reload()
        #expect(try ask(Installation.token) == 401)
        #expect(try ask("the-next-token") == 200)
    }
}

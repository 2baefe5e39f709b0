import Foundation
import Testing

@Suite("Requests that come before the answers to those before them")
struct PipelineTests {
    private static let offer = #"{"productId":"pro.monthly","offerId":"anyone"}"#

    private static func request(_ path: String, offers: Int = 1, more: String = "") -> String {
        let offers = Array(repeating: offer, count: offers).joined(separator: ",")
        let body = #"{"applicationUsername":"a"\#(more),"offers":[\#(offers)]}"#
        return """
            POST \(path) HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(Installation.token)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
    }

    @Test(
        "A caller that half-closes after its requests gets every answer",
        arguments: ["/v1/signatures", "/v1/signatures?", "/v1/eligibility", "/v1/nothing"],
        [1, 2, 5]
    )
    func halfClosed(path: String, count: Int) throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        try connection.send(String(repeating: Self.request(path), count: count))
        connection.closeOutput()
        let expected = path == "/v1/nothing" ? 404 : 200
        for _ in 0..<count { #expect(try connection.receive().status == expected) }
        #expect(connection.isClosed())
    }

    @Test("A request is answered, with anything of any length sent after it", arguments: [1, 10_000, 300_000])
    func followedByNonsense(length: Int) throws {
        let service = try RunningService()
        let nonsense = String(repeating: "\u{1}", count: length)
        for request in [
            Self.request("/v1/signatures"),
            Self.request("/v1/signatures").replacing("Host: a\r\n", with: "Host: a\r\nConnection: close\r\n"),
        ] {
            let connection = try Connection(to: service.server)
            try connection.send(request)
            // The service may have closed before it has come.
            try? connection.send(nonsense)
            #expect(try connection.receive().status == 200)
        }
    }

    @Test("A caller that does not read is answered up to the room there is, and gets the rest when it reads")
    func unread() throws {
        let installation = try Installation()
        let products = (0..<40).map { product in
            let offers = (0..<10).map { "{ id: offer-\(product)-\($0) }" }.joined(separator: ", ")
            return "          - { id: pro.\(product), offers: [\(offers)] }\n"
        }
        let catalog = installation.directory.url.appending(path: "catalog.yaml")
        let text = try String(contentsOf: catalog, encoding: .utf8)
        try installation.directory.write("catalog.yaml", text + "\n" + products.joined())
        let service = try RunningService(installation)
        let connection = try Connection(to: service.server)
        let count = 200
        let body = #"{"applicationUsername":"a","explain":true}"#
        let request = """
            POST /v1/eligibility HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(Installation.token)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
        try connection.send(String(repeating: request, count: count))
        func answered() throws -> Double {
            try service.metrics().reduce(0) { sum, metric in
                metric.key.hasPrefix("offer_signer_requests_total") ? sum + metric.value : sum
            }
        }
        var before = -1.0
        while try answered() > before {
            before = try answered()
            usleep(500_000)
        }
        #expect(before < Double(count) / 2, "the answers of \(before) requests wait in memory")
        for _ in 0..<count {
            let answer = try connection.receive()
            #expect(answer.status == 200)
            #expect(answer.decisions.count == 402)
        }
    }
}

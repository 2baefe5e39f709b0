import FakeServer
import Foundation
import SignedDataFixtures
import Testing

/// The event loop answers `POST /v1/signatures` and `POST /v1/eligibility`, and with a query, which says nothing, the router
/// does.
@Suite("The two ways to an answer")
struct TwoWaysTests {
    private struct Way {
        let isRouter: Bool
        let service: RunningService

        func path(_ path: String) -> String { isRouter ? path + "?" : path }
    }

    private static let signatures = "/v1/signatures"
    private static let eligibility = "/v1/eligibility"

    /// Two services that nobody has asked yet, alike but for their keys.
    private func ways(signaturesPerSecond: Int = 1000) throws -> [Way] {
        try [false, true].map { isRouter in
            let server = try FakeServer { request in
                request.path.hasPrefix("/production/verifyReceipt") ? .init(200, Customers.active) : .init(500, "{}")
            }
            let installation = try Installation(asking: server, trusting: try TestAuthority())
            let catalog = installation.directory.url.appending(path: "catalog.yaml")
            let limited = "{ id: once, maximumSignaturesPerCustomer: 1 }"
            let ended = "{ id: ended, endsAt: 2020-01-01T00:00:00Z }"
            try installation.directory.write(
                "catalog.yaml",
                String(contentsOf: catalog, encoding: .utf8).replacing(
                    "- { id: anyone }",
                    with: """
                        - { id: anyone }
                                      - \(limited)
                                      - \(ended)
                        """
                )
            )
            let clients = installation.directory.url.appending(path: "clients.yaml")
            try installation.directory.write(
                "clients.yaml",
                String(contentsOf: clients, encoding: .utf8)
                    .replacing("apps:", with: "signaturesPerSecond: \(signaturesPerSecond), apps:")
            )
            return Way(isRouter: isRouter, service: try RunningService(installation))
        }
    }

    private static func offers(_ ids: [String]) -> String {
        ids.map { #"{"productId":"pro.monthly","offerId":"\#($0)"}"# }.joined(separator: ",")
    }

    /// Bodies in an order in which each finds what those before it have left.
    private static func bodies(lapsed: String, active: String) -> [(name: String, body: String)] {
        func body(_ evidence: String, _ ids: [String], _ more: String = "") -> String {
            "{\(evidence)\(more)\"offers\":[\(offers(ids))]}"
        }
        let lapsed = "\"evidence\":{\"receiptResponse\":\(lapsed)},"
        let active = "\"evidence\":{\"receiptResponse\":\(active)},"
        let token = #""appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","#
        let receipt = #""evidence":{"receipt":"MIIB"},"#
        return [
            ("an eligible customer whose state has to be read", body(lapsed, ["comeback50"], token)),
            ("the same, with the state at hand", body(lapsed, ["comeback50"], token)),
            ("held state alone", body("", ["comeback50", "anyone"], token)),
            ("nobody, and nothing", body("", ["anyone"])),
            ("all kinds of refusals", body(active, ["comeback50", "ended", "never-heard-of", "anyone"])),
            ("an explanation", body(lapsed, ["comeback50", "ended"], #""explain":true,"#)),
            ("both formats", body(lapsed, ["comeback50"], #""formats":["discount","jws"],"#)),
            ("twenty offers", body(lapsed, Array(repeating: "anyone", count: 20))),
            ("a limit that the ledger knows", body(lapsed, ["once"], token)),
            ("the limit reached", body(lapsed, ["once", "anyone"], token)),
            ("a question for the App Store", body(receipt, ["anyone", "comeback50"], token)),
            ("another app", body(lapsed, ["anyone"], #""bundleId":"com.example.other","#)),
            ("no JSON", "{\"offers\":"),
            ("no offers", "{\"offers\":[]}"),
            ("a field that nobody knows", body(lapsed, ["anyone"], #""colour":"red","#)),
            (
                "evidence from the future",
                body(lapsed.replacing("request_date_ms\":\"1", with: "request_date_ms\":\"3"), ["anyone"])
            ),
        ]
    }

    /// The answer as it came, but for what cannot be the same twice: nonces, signatures and their length, keys and times.
    private func comparable(_ response: Response) -> String {
        let body = String(decoding: response.body, as: UTF8.self)
            .replacing(/"(nonce|signature|jws)":"[^"]*"/) { "\"\($0.1)\":\"\"" }
            .replacing(/"(timestamp)":\d+/) { "\"\($0.1)\":0" }
            .replacing(/"(expiresAt|now|asOf)":"[^"]*"/) { "\"\($0.1)\":\"\"" }
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, with: "")
        // A signature has two or three bytes more or less.
        let length = response.headers["content-length"] == "\(response.body.count)" ? "right" : "wrong"
        let head = response.head
            .replacing(/Content-Length: \d+/, with: "Content-Length: \(length)")
            .replacing(/\r\n[Dd]ate: [^\r]*/, with: "\r\nDate:")
            // A signature is some bytes longer or shorter than another. What is read is as long as this says.
            .replacing(/\r\n[Cc]ontent-[Ll]ength: [^\r]*/, with: "\r\nContent-Length:")
            .replacing(/;r=\d+;t=\d+/, with: ";r=;t=")
            .replacing(/(Retry-After): \d+/) { "\($0.1): " }
        return head + "\r\n\r\n" + body
    }

    /// Questions about eligibility, in an order in which each finds what those before it have left.
    private static func questions(lapsed: String, active: String) -> [(name: String, body: String)] {
        let token = #""appAccountToken":"0ae9dc0e-93c4-4d5c-9d21-3c7c3e0b6a51""#
        // A subscription of which nobody has heard.
        let own = lapsed.replacing("transaction_id\":\"1\"", with: "transaction_id\":\"2\"")
        let lapsed = "\"evidence\":{\"receiptResponse\":\(own)}"
        let active = "\"evidence\":{\"receiptResponse\":\(active)}"
        let products = #""products":["pro.monthly","pro.unknown"]"#
        return [
            ("a customer whose state has to be read, and a limit that the ledger knows", "{\(token),\(lapsed)}"),
            ("held state alone, of which the introductory offer", "{\(token),\(products)}"),
            ("no question to the ledger", "{\(lapsed),\"offers\":[\(offers(["comeback50", "ended"]))]}"),
            ("offers that are named", "{\(active),\"offers\":[\(offers(["once", "ended", "never-heard-of"]))]}"),
            ("an explanation", "{\(token),\(lapsed),\"explain\":true}"),
            ("a question for the App Store", #"{\#(token),\#(products),"evidence":{"receipt":"MIIB"}}"#),
            ("nobody, and nothing", "{}"),
            ("no JSON", "{\"offers\":"),
            ("formats, which nothing has here", "{\(token),\"formats\":[\"jws\"]}"),
            ("another app", "{\(lapsed),\"bundleId\":\"com.example.other\"}"),
            (
                "evidence from the future",
                "{\(lapsed.replacing("request_date_ms\":\"1", with: "request_date_ms\":\"3"))}"
            ),
        ]
    }

    @Test("give the same answer, byte for byte but for nonces, times and signatures, and count the same")
    func same() throws {
        // One after the other: the answer that was dated later is the one that counts.
        let active = Customers.active
        let lapsed = Customers.lapsed
        let ways = try ways()
        let requests =
            Self.bodies(lapsed: lapsed, active: active).map { (Self.signatures, $0.name, $0.body) }
            + Self.questions(lapsed: lapsed, active: active).map { (Self.eligibility, $0.name, $0.body) }
        for (path, name, body) in requests {
            let answers = try ways.map { try ask($0, path, body) }
            #expect(comparable(answers[0]) == comparable(answers[1]), "\(path): \(name)")
        }
        let counted = try ways.map { way in
            try way.service.metrics().filter { name, _ in
                name.contains(/_total\b|_count\b/) && name.contains(/requests|decisions|signatures|room/)
            }
        }
        #expect(counted[0] == counted[1])
        #expect(
            counted[0]["offer_signer_decisions_total{call=\"signatures\",verdict=\"eligible\",reason=\"lapsed\"}"] ?? 0
                > 20
        )
        #expect(
            counted[0]["offer_signer_decisions_total{call=\"eligibility\",verdict=\"eligible\",reason=\"lapsed\"}"] ?? 0
                > 5
        )
    }

    private func ask(_ way: Way, _ path: String, _ body: String) throws -> Response {
        try Connection(to: way.service.server).request(
            "POST",
            way.path(path),
            headers: [
                "Authorization: Bearer \(Installation.token)", "Content-Type: application/json",
                "X-Request-ID: two-ways",
            ],
            body: body
        )
    }

    @Test("refuse alike who has asked for more than a second's worth")
    func rate() throws {
        let ways = try ways(signaturesPerSecond: 1)
        let offers = Self.offers(Array(repeating: "anyone", count: 100))
        let body = #"{"evidence":{"receiptResponse":\#(Customers.lapsed)},"offers":[\#(offers)]}"#
        for expected in [200, 429] {
            let answers = try ways.map { try ask($0, Self.signatures, body) }
            #expect(answers.map(\.status) == [expected, expected])
            #expect(comparable(answers[0]) == comparable(answers[1]))
        }
    }

    @Test("keep the order in which requests came on a connection, whichever way each goes")
    func order() throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        let (signatures, eligibility) = (Self.signatures, Self.eligibility)
        let paths = [
            signatures + "?", signatures, eligibility, signatures, eligibility + "?", signatures, eligibility,
            signatures + "?", signatures,
        ]
        let body = Customers.lapsedRequest(offers: ["comeback50"])
        let requests = paths.enumerated().map { index, path in
            """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(Installation.token)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            X-Request-ID: \(index)\r
            \r
            \(body)
            """
        }
        try connection.send(requests.joined())
        for (index, path) in paths.enumerated() {
            let answer = try connection.receive()
            #expect(answer.status == 200, "\(path)")
            #expect(answer.headers["x-request-id"] == "\(index)")
            #expect((answer.decisions.first?["discount"] != nil) == path.hasPrefix(signatures))
        }
    }
}

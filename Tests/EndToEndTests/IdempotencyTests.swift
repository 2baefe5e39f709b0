import ChildProcess
import Foundation
import Testing

@Suite("A call with an Idempotency-Key", .serialized, .timeLimit(.minutes(20)))
struct IdempotencyTests {
    private static let signatures = "/v1/signatures"

    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.limit(offer: "maximumSignaturesPerCustomer: 1")
    }

    private func fields(_ keys: [String]) -> [String] {
        ["Authorization: Bearer \(Installation.token)", "Content-Type: application/json"]
            + keys.map { "Idempotency-Key: \($0)" }
    }

    private func ask(
        _ service: RunningService,
        _ body: String,
        _ keys: String...,
        path: String = Self.signatures
    ) throws -> Response { try Connection(to: service.server).request("POST", path, headers: fields(keys), body: body) }

    private func isReplayed(_ response: Response) -> Bool { response.headers["idempotency-replayed"] == "true" }

    @Test("After an answer was lost, the same call gets that answer, though the customer may have no second one")
    func lost() throws {
        let service = try RunningService(installation)
        let body = Customers.request("alice")
        do {
            let lost = try Connection(to: service.server)
            let head = ["POST \(Self.signatures) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"]
            try lost.send((head + fields(["lost"])).joined(separator: "\r\n") + "\r\n\r\n" + body)
            #expect(try waitUntil { try installation.records().count == 1 })
        }
        let again = try ask(service, body, "lost")
        #expect(again.status == 200)
        #expect(isReplayed(again))
        let discount = try #require(again.decisions.first?["discount"] as? [String: Any])
        #expect(try installation.verifies(discount, account: "alice"))
        let third = try ask(service, body, "lost")
        #expect(third.body == again.body)
        let records = try installation.records()
        #expect(records.map { $0["nonce"] as? String } == [discount["nonce"] as? String])
        // Without the key, or with a new one, it is another request, and the limit is reached.
        for other in [try service.sign(body), try ask(service, body, "other")] {
            #expect(other.decisions.first?["reason"] as? String == "signature_limit")
            #expect(other.headers["idempotency-replayed"] == nil)
        }
        #expect(try installation.ledger("verify").status == 0)
    }

    @Test("Another body is 422; on another path it is another key, whose answer is kept as well")
    func others() throws {
        try installation.nameIssuer()
        let service = try RunningService(installation)
        let body = Customers.request("alice")
        let first = try ask(service, body, "k")
        #expect(first.status == 200 && !isReplayed(first))
        let reused = try ask(service, body + " ", "k")
        #expect(reused.summary == "422 idempotency_key_reused")
        #expect(reused.headers["idempotency-replayed"] == nil)
        let lapsed = Customers.transaction()
        let introductory = #"""
            {"evidence":{"receiptResponse":\#(Customers.lapsed(lapsed))},"products":["pro.monthly"],
            "transactionId":"\#(lapsed)","allowIntroductoryOffer":false}
            """#
        let path = "/v1/introductory-eligibility-signatures"
        let ofPath = try ask(service, introductory, "k", path: path)
        #expect(ofPath.status == 200 && !isReplayed(ofPath), "\(ofPath.json)")
        let again = try ask(service, introductory, "k", path: path)
        #expect(again.body == ofPath.body && isReplayed(again))
        #expect(try ask(service, body, "k").body == first.body)
        #expect(try installation.records().count == 2)
        // Where nothing is signed it means nothing.
        #expect(try ask(service, Customers.request("alice"), "k", path: "/v1/eligibility").status == 200)
    }

    @Test("A key is there once, of 1 to 255 visible characters; and an answer with explanations is none to keep")
    func malformed() throws {
        let service = try RunningService(installation)
        let body = Customers.request("alice")
        let long = String(repeating: "k", count: 255)
        for keys in [[""], ["a b"], ["ä"], [long + "k"], ["a", "a"], ["a", "b"]] {
            let connection = try Connection(to: service.server)
            let response = try connection.request("POST", Self.signatures, headers: fields(keys), body: body)
            #expect(response.summary == "400 invalid_value", "\(keys)")
            #expect((response.json["detail"] as? String)?.hasPrefix("Idempotency-Key is there once") == true)
        }
        let explained = try ask(service, body.replacing(#"{"applic"#, with: #"{"explain":true,"applic"#), "k")
        #expect(explained.summary == "400 invalid_value")
        #expect(explained.json["pointer"] as? String == "/explain")
        #expect(try installation.records().isEmpty)
        #expect(try ask(service, body, long).decisions.first?["discount"] != nil)
    }
}

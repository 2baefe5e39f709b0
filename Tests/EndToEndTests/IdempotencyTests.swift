import ChildProcess
import Foundation
import PostgreSQLServer
import Synchronization
import Testing

@Suite("A call with an Idempotency-Key", .serialized, .timeLimit(.minutes(20)))
struct IdempotencyTests {
    private static let signatures = "/v1/signatures"

    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.limit(offer: "maximumSignaturesPerCustomer: 1")
    }

    private func fields(_ keys: [String], token: String = Installation.token) -> [String] {
        ["Authorization: Bearer \(token)", "Content-Type: application/json"] + keys.map { "Idempotency-Key: \($0)" }
    }

    private func ask(
        _ service: RunningService,
        _ body: String,
        _ keys: String...,
        path: String = Self.signatures,
        token: String = Installation.token
    ) throws -> Response {
        try Connection(to: service.server).request("POST", path, headers: fields(keys, token: token), body: body)
    }

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

    @Test(
        "Another body is 422; a refusal alone is not kept; on another path, and for another client, it is another key"
    )
    func others() throws {
        let token = "another-token"
        try installation.edit("clients.yaml", "clients: [", "clients: [\(try other(token)), ")
        let issued = "id: TESTKEY001, issuerId: 57246542-96fe-1a63-e053-0824d011072a,"
        try installation.edit("catalog.yaml", "id: TESTKEY001,", issued)
        let service = try RunningService(installation)
        let body = Customers.request("alice")
        let first = try ask(service, body, "k")
        #expect(first.status == 200 && !isReplayed(first))
        let reused = try ask(service, body + " ", "k")
        #expect(reused.status == 422)
        #expect(reused.json["code"] as? String == "idempotency_key_reused")
        #expect(reused.headers["idempotency-replayed"] == nil)

        let refused = try ask(service, Customers.request("alice"), "refused")
        #expect(refused.decisions.first?["reason"] as? String == "signature_limit")
        let bob = Customers.request("bob", #""receiptResponse":\#(Customers.active(Customers.transaction()))"#)
        let signed = try ask(service, bob, "refused")
        #expect(signed.decisions.first?["discount"] != nil)
        #expect(!isReplayed(signed))

        #expect(try ask(service, body, "k", token: token).decisions.first?["reason"] as? String == "signature_limit")
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
        #expect(try installation.records().count == 3)
        // Where nothing is signed it means nothing.
        #expect(try ask(service, Customers.request("alice"), "k", path: "/v1/eligibility").status == 200)
    }

    private func other(_ token: String) throws -> String {
        "{ name: other, tokenSHA256: \"\(try Installation.digest(of: token))\", apps: [\(Installation.bundleId)], "
            + "evidence: [receiptResponse] }"
    }

    @Test("A key is there once, of 1 to 255 visible characters; and an answer with explanations is none to keep")
    func malformed() throws {
        let service = try RunningService(installation)
        let body = Customers.request("alice")
        let long = String(repeating: "k", count: 255)
        for keys in [[""], ["a b"], ["ä"], [long + "k"], ["a", "a"], ["a", "b"]] {
            let connection = try Connection(to: service.server)
            let response = try connection.request("POST", Self.signatures, headers: fields(keys), body: body)
            #expect(response.status == 400, "\(keys)")
            #expect(response.json["code"] as? String == "invalid_value")
            #expect((response.json["detail"] as? String)?.hasPrefix("Idempotency-Key is there once") == true)
        }
        let explained = try ask(service, body.replacing(#"{"applic"#, with: #"{"explain":true,"applic"#), "k")
        #expect(explained.status == 400)
        #expect(explained.json["code"] as? String == "invalid_value")
        #expect(explained.json["pointer"] as? String == "/explain")
        #expect(try installation.records().isEmpty)
        #expect(try ask(service, body, long).decisions.first?["discount"] != nil)
    }

    @Test(
        "The same answer comes after a restart, and is gone with the customer who is forgotten; a client's rate counts it"
    )
    func restart() throws {
        try installation.edit("clients.yaml", "evidence:", "signaturesPerSecond: 1, evidence:")
        var service = try RunningService(installation)
        // A rate of one a second counts them for longer than this test takes.
        let offers = Array(repeating: #"{"productId":"pro.monthly","offerId":"anyone"}"#, count: 100)
        let evidence = #"{"receiptResponse":\#(Customers.active)}"#
        let account = #""applicationUsername":"alice""#
        let body = #"{\#(account),"evidence":\#(evidence),"offers":[\#(offers.joined(separator: ","))]}"#
        let first = try ask(service, body, "k")
        #expect(first.decisions.count { $0["discount"] != nil } == 1)
        #expect(first.decisions.count { $0["reason"] as? String == "signature_limit" } == 99)
        #expect(try ask(service, body, "k").json["code"] as? String == "rate_limited")
        service.kill()
        service = try RunningService(installation)
        let again = try ask(service, body, "k")
        #expect(again.body == first.body && isReplayed(again))
        let forgotten = try installation.ledger("forget", "--application-username", "alice")
        #expect(forgotten.status == 0, "\(forgotten.errors)")
        service.kill()
        service = try RunningService(installation)
        let new = try ask(service, body, "k")
        #expect(new.decisions.count { $0["reason"] as? String == "signature_limit" } == 100)
        #expect(try installation.sql("SELECT COUNT(*) FROM kept_answers") == "0\n")
    }

    enum Home: CaseIterable { case sqlite, postgresql }

    @Test(
        "Of calls at once at two services that share a ledger, one is recorded, and all get its answer",
        arguments: Home.allCases
    )
    func atOnce(home: Home) throws {
        let server = home == .postgresql ? try PostgreSQLServer() : nil
        if let server { try installation.keepLedger(in: server.url()) }
        let services = [try RunningService(installation), try RunningService(installation)]
        for round in 1...5 {
            let evidence = #""receiptResponse":\#(Customers.active(Customers.transaction()))"#
            let body = Customers.request("customer\(round)", evidence)
            let responses = Mutex<[Response]>([])
            DispatchQueue.concurrentPerform(iterations: 16) { index in
                guard let response = try? ask(services[index % 2], body, "round-\(round)") else { return }
                responses.withLock { $0.append(response) }
            }
            let all = responses.withLock { $0 }
            #expect(all.count == 16)
            #expect(all.allSatisfy { $0.status == 200 }, "\(all.map(\.json))")
            #expect(Set(all.map(\.body)).count == 1)
            #expect(all.first?.decisions.first?["discount"] != nil)
            #expect(all.count { !isReplayed($0) } == 1)
            #expect(try installation.records().count == round)
            let other = try ask(services[1], body + " ", "round-\(round)")
            #expect(other.json["code"] as? String == "idempotency_key_reused")
        }
        for service in services { service.stop() }
        #expect(try installation.ledger("verify").status == 0)
    }
}

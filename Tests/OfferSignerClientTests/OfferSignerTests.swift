import FakeServer
import Foundation
import Testing

@testable import OfferSignerClient

@Suite("The client for backends")
struct OfferSignerTests {
    private func body(_ service: ScriptedService) throws -> [String: Any] {
        let body = try #require(service.requests.last?.body)
        return try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    @Test("A request has the token and the members that the caller gave, and no others")
    func request() async throws {
        let service = try ScriptedService(ScriptedService.answer)
        _ = try await service.client().signatures(ScriptedService.request)
        let request = try #require(service.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/v1/signatures")
        #expect(request.headers["authorization"] == "Bearer \(ScriptedService.token)")
        #expect(request.headers["content-type"] == "application/json")
        #expect(Set(try body(service).keys) == ["evidence", "offers"])
    }

    @Test("An account's UUID is written in lowercase: in uppercase it would not be what is signed")
    func account() async throws {
        let service = try ScriptedService(ScriptedService.answer)
        var request = ScriptedService.request
        request.account = .appAccountToken(try #require(UUID(uuidString: "7E3FB20B-4CDB-47CC-936D-99D65F608138")))
        _ = try await service.client().signatures(request)
        #expect(try body(service)["appAccountToken"] as? String == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    }

    @Test("Members that a later service adds to an answer are ignored")
    func laterService() async throws {
        let decision = #"""
            {"productId":"p","offerId":"o","verdict":"eligible","reason":"new","detail":"d","begins":"later","jws":"a.b.c","x":1}
            """#
        let members = #""bundleId":"b","environment":"Elsewhere","account":{},"decisions":[\#(decision)]"#
        let service = try ScriptedService(.init(200, "{\(members)}"))
        let answer = try await service.client().signatures(ScriptedService.request)
        #expect(answer.decisions.first?.jws == "a.b.c")
        #expect(answer.decisions.first?.begins?.rawValue == "later")
        #expect(answer.environment?.rawValue == "Elsewhere")
    }

    @Test("Win-back offers come in Apple's order, of all groups and by product, and none where none is named")
    func winBackOffers() async throws {
        let decision = #""introductoryOffer":{"verdict":"eligible","reason":"never_used","detail":"d"}"#
        let offers = #""winBackOffers":[{"id":"b","url":"https://example.com/b"},{"id":"a"}]"#
        let json = #"""
            {"bundleId":"b","account":{},"decisions":[],\#(offers),
             "products":[{"productId":"p",\#(decision),"winBackOffers":[{"id":"a"}]},{"productId":"q",\#(decision)}]}
            """#
        let service = try ScriptedService(.init(200, json), .init(200, json.replacing("\(offers),", with: "")))
        let request = EligibilityRequest(evidence: .transactionId("1"), products: ["p", "q"])
        let answer = try await service.client().eligibility(request)
        #expect(answer.winBackOffers.map(\.id) == ["b", "a"])
        #expect(answer.winBackOffers.map(\.url) == ["https://example.com/b", nil])
        #expect(answer.products.map { $0.winBackOffers.map(\.id) } == [["a"], []])
        #expect(try await service.client().eligibility(request).winBackOffers.isEmpty)
    }

    @Test("A transaction that was bought just now is said to be new, and another is not", arguments: [true, false])
    func newTransaction(isNew: Bool) async throws {
        let service = try ScriptedService(ScriptedService.answer)
        var request = ScriptedService.request
        request.evidence = isNew ? .transactionId("7", isNew: true) : .transactionId("7")
        _ = try await service.client().signatures(request)
        let evidence = try body(service)["evidence"] as? [String: Any]
        #expect(evidence?["transactionId"] as? String == "7")
        #expect(evidence?["isNew"] as? Bool == (isNew ? true : nil))
        #expect(evidence?.count == (isNew ? 2 : 1))
    }

    @Test("A verifyReceipt answer goes on byte for byte, whatever numbers it holds")
    func evidence() async throws {
        let service = try ScriptedService(ScriptedService.answer)
        let answer = #"{ "status":0, "receipt":{"adam_id":12345678901234567890,"x":1.10,"y":"\/"} }"#
        var request = ScriptedService.request
        request.evidence = .receiptResponse(Array(answer.utf8))
        _ = try await service.client().signatures(request)
        let sent = String(decoding: try #require(service.requests.first).body, as: UTF8.self)
        #expect(sent.contains(#""evidence":{"receiptResponse":\#(answer)}"#))
        #expect(try body(service)["offers"] != nil)
    }

    @Test(
        "A receipt response that is no verifyReceipt answer is not sent",
        arguments: [#"{}},"bundleId":"com.example.other","x":{"#, "[]", "", "{", "{} {}", "null", #"{"a":"}"#]
    )
    func noEvidence(text: String) async throws {
        let service = try ScriptedService(ScriptedService.answer)
        var request = ScriptedService.request
        request.evidence = .receiptResponse(Array(text.utf8))
        await #expect(throws: OfferSignerError.invalidArgument("The verifyReceipt answer is no JSON object.")) {
            try await service.client().signatures(request)
        }
        #expect(service.requests.isEmpty)
    }

    @Test("Parameters are escaped, and repeat where several products are asked about")
    func query() async throws {
        let service = try ScriptedService(FakeServer.Reply(404, "{}"))
        _ = try? await service.client().products(["a&b=c", "ü/?#"], countryCode: "DE", bundleId: "com.example")
        #expect(
            service.requests.first?.path
                == "/v1/products?bundleId=com.example&countryCode=DE&productId=a%26b%3Dc&productId=%C3%BC%2F%3F%23"
        )
    }

    @Test("A reason of a later version is read like any other; another verdict is no answer")
    func laterVersions() async throws {
        func decision(_ verdict: String) -> FakeServer.Reply {
            FakeServer.Reply(
                200,
                #"""
                {"bundleId":"b","account":{},"new":1,"decisions":[{"productId":"p","offerId":"o","verdict":"\#(verdict)",
                "reason":"a_reason_to_come","detail":"D.","new":{}}]}
                """#
            )
        }
        let answer = try await ScriptedService(decision("ineligible")).client().signatures(ScriptedService.request)
        #expect(answer.decisions.first?.reason == "a_reason_to_come")
        let error = await #expect(throws: OfferSignerError.self) {
            try await ScriptedService(decision("perhaps")).client().signatures(ScriptedService.request)
        }
        guard case .unexpectedAnswer(200, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A proxy's page is not taken for one of the service's own problems")
    func page() async throws {
        let service = try ScriptedService(FakeServer.Reply(403, "<html>Forbidden</html>"))
        let error = await #expect(throws: OfferSignerError.self) {
            try await service.client().signatures(ScriptedService.request)
        }
        guard case .unexpectedAnswer(403, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("The token does not follow an answer that leads elsewhere", arguments: [301, 302, 307, 308])
    func redirect(status: Int) async throws {
        let elsewhere = try ScriptedService(ScriptedService.answer)
        let url = try elsewhere.client().address.url("/v1/signatures")
        let service = try ScriptedService(FakeServer.Reply(status, headers: ["Location": url], ""))
        let error = await #expect(throws: OfferSignerError.self) {
            try await service.client().signatures(ScriptedService.request)
        }
        guard case .unexpectedAnswer(status, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("No token is none")
    func noToken() {
        #expect(throws: OfferSignerError.self) { try OfferSigner(url: "http://localhost", token: "") }
    }

    @Test("A problem's description has its code, its pointer and its request's number in one line")
    func problem() {
        let problem = Problem(status: 400, code: "c", detail: "D.", pointer: "/a", requestId: "r-1")
        #expect("\(OfferSignerError.problem(problem))" == "400 c at /a: D. (request r-1)")
        #expect("\(Problem(status: 401, code: "c", detail: "D."))" == "401 c: D.")
    }

    @Test("The token is in no description, dump or error, wherever the call fails")
    func token() async throws {
        var texts: [String] = []
        for reply in [
            ScriptedService.problem(401, "unauthorized"), FakeServer.Reply(closes: true), FakeServer.Reply(200, "[]"),
        ] {
            let client = try ScriptedService(reply).client()
            do {
                _ = try await client.signatures(ScriptedService.request)
            } catch {
                texts += ["\(error)", String(reflecting: error), error.localizedDescription]
            }
            var dumped = ""
            dump(client, to: &dumped)
            texts += ["\(client)", String(reflecting: client), dumped]
        }
        for bad in [ScriptedService.token + "\n", ScriptedService.token + " x"] {
            let error = #expect(throws: OfferSignerError.self) { try OfferSigner(url: "http://localhost", token: bad) }
            texts.append("\(String(describing: error))")
        }
        #expect(texts.count == 20)
        #expect(texts.allSatisfy { !$0.contains("fZ3kW9") && !$0.isEmpty })
    }

    @Test(
        "A malformed address is refused before anything is sent",
        arguments: [
            "", "offers.internal", "ftp://a", "https://", "https:///", "http:///v1", "http://:8080", "https://a b",
            "https://u:p@a", "https://a?x=1", "http://a:65536", "http://a:0", "http://a:-1", "http://a:http",
            "http://[::1", "http://[::1]:65536", "http://%zz", "http://a:99999999999999999999/", "http://a:+80",
            "http://a: 80", "https://[::1]:18446744073709551696",
        ]
    )
    func address(url: String) {
        #expect(throws: OfferSignerError.self) { try OfferSigner(url: url, token: "t") }
    }

    @Test(
        "An address may have a port, a path, and an IPv6 address for its host",
        arguments: ["http://a:65535", "http://a:1/v1/", "http://[::1]", "HTTPS://[::1]:8443/base", "http://a:"]
    )
    func goodAddress(url: String) throws {
        _ = try OfferSigner(url: url, token: "t")
    }
}

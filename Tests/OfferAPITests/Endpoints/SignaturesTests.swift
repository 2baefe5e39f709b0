import OfferService
import Offers
import Testing

@testable import OfferAPI

private struct NoSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        throw SigningFailure(keyIdentifier: keyIdentifier, detail: "secret of the log")
    }
}

@Suite("Permission to ask for signatures")
struct SignaturesTests {
    private let abc = Client.abc

    private func ask(_ client: Client, _ body: String, path: String = "/v1/signatures") async throws -> TestAnswer {
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let apps = ["com.example.reader", "com.example.other"].map { bundleId in
            SigningApp(app: App(bundleId: bundleId, subscriptionGroups: [group]), signer: NoSigner(), issuerId: "i")
        }
        return try await TestListener(PublicEndpoints.test(client, apps: apps))
            .ask(TestRequest(path, body))
    }

    @Test("A client asks for its own apps, with the evidence that it may send")
    func permissions() async throws {
        func answer(_ client: Client, _ members: String) async throws -> String {
            try await ask(
                client,
                "{\(members)\"applicationUsername\":\"a\",\"offers\":[{\"productId\":\"p\",\"offerId\":\"x\"}]}"
            ).summary
        }
        #expect(try await answer(abc, "") == "200")
        #expect(try await answer(abc, #""bundleId":"com.example.reader","#) == "200")
        #expect(try await answer(abc, #""bundleId":"com.example.other","#) == "403 app_not_allowed /bundleId")
        #expect(Problem.appNotAllowed.detail.contains("the apps of the client in clients.yaml"))
        #expect(try await answer(abc, #""bundleId":"com.example.none","#) == "403 app_not_allowed /bundleId")
        let both = Client(
            name: "both",
            tokenSHA256: [sha256OfAbc],
            apps: ["com.example.reader", "com.example.other"],
            evidence: [.transactionId]
        )
        #expect(try await answer(both, "") == "400 missing_member /bundleId")
        #expect(try await answer(both, #""bundleId":"com.example.other","#) == "200")
        #expect(
            try await answer(both, #""bundleId":"com.example.other","evidence":{"receiptResponse":{"status":0}},"#)
                == "403 evidence_not_allowed /evidence/receiptResponse"
        )
        let evidence = #""evidence":{"receiptResponse":{"status":0}}"#
        for (path, wish) in [
            ("/v1/eligibility", ""), ("/v1/introductory-eligibility-signatures", #","products":["p"]"#),
        ] {
            let refused = try await ask(both, #"{"bundleId":"com.example.other",\#(evidence)\#(wish)}"#, path: path)
            #expect(refused.summary == "403 evidence_not_allowed /evidence/receiptResponse")
        }
    }

    @Test(
        "A verifyReceipt answer, which a leaked token could forge, is a choice, and its refusal says where to choose it"
    )
    func receiptResponse() async throws {
        let client = Client(name: "backend", tokenSHA256: [sha256OfAbc], apps: ["com.example.reader"])
        func answer(_ evidence: String) async throws -> TestAnswer {
            try await ask(client, #"{"evidence":{\#(evidence)},"offers":[{"productId":"p","offerId":"o"}]}"#)
        }
        let refusal = try await answer(#""receiptResponse":{"status":0}"#)
        #expect(refusal.summary == "403 evidence_not_allowed /evidence/receiptResponse")
        for part in ["client backend ", "clients.yaml", "evidence: [receiptResponse, receipt, signedTransactions, tra"]
        {
            #expect(refusal.member("detail")?.contains(part) == true, "\(refusal.body)")
        }
        for evidence in [
            #""receipt":"AAAA""#, #""signedTransactions":["a.b.c"]"#, #""transactionId":"1""#,
        ] { #expect(try await answer(evidence).status != 403, "\(evidence)") }
    }

    @Test("Evidence at fault is pointed to within the body; Apple's refusal is 422")
    func evidence() async throws {
        func answer(_ evidence: String) async throws -> String {
            let offers = #"[{"productId":"p","offerId":"o"}]"#
            return try await ask(abc, #"{"evidence":{"receiptResponse":\#(evidence)},"offers":\#(offers)}"#).summary
        }
        #expect(try await answer(#"{"status":0,}"#) == "400 malformed_json /evidence/receiptResponse")
        #expect(try await answer(#"{"status":0]"#) == "400 malformed_json /evidence/receiptResponse")
        #expect(try await answer("{}") == "400 missing_member /evidence/receiptResponse/status")
        #expect(try await answer(#"{"status":21003}"#) == "422 receipt_status /evidence/receiptResponse/status")
        #expect(
            try await answer(#"{"status":0,"receipt":{"request_date_ms":1795262701000}}"#)
                == "422 evidence_in_future /evidence/receiptResponse"
        )
        let signed = #"{"evidence":{"signedTransactions":["a.b.c"]},"offers":[{"productId":"p","offerId":"o"}]}"#
        #expect(try await ask(abc, signed).summary == "422 jws_malformed /evidence/signedTransactions/0")
    }

    @Test("A pointer leads to evidence that is in the request")
    func pointer() {
        let fault = EvidenceFault(.rejected, code: "transaction_unknown", detail: "d")
        #expect(Problem(.evidence(fault), evidence: .transactionId).pointer == "/evidence/transactionId")
        #expect(Problem(.evidence(fault), evidence: nil).pointer == nil)
    }

    @Test("A key that fails is 503 with Retry-After, and its detail stays inside")
    func signingFailure() async throws {
        let answer = try await ask(
            abc,
            #"""
            {"evidence":{"receiptResponse":{"status":0,"environment":"Production","receipt":{"bundle_id":
            "com.example.reader","request_date_ms":1795262400000},"pending_renewal_info":[{"product_id":"p"}]}},
            "offers":[{"productId":"p","offerId":"o"}]}
            """#
        )
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == "5")
        #expect(!answer.body.contains("secret"))
    }
}

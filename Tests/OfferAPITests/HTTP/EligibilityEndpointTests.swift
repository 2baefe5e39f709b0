import AppStore
import HTTPTypes
import LedgerFixtures
import OfferService
import Offers
import Testing

@testable import OfferAPI

private struct NoSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        throw SigningFailure(keyIdentifier: keyIdentifier, detail: "nothing is signed here")
    }
}

@Suite("Eligibility over the wire")
struct EligibilityEndpointTests {
    private let abc = Client(
        name: "abc",
        tokenSHA256: [sha256OfAbc],
        apps: ["com.example.reader"],
        evidence: Set(EvidenceKind.allCases)
    )

    private func endpoint(_ client: Client) -> EligibilityEndpoint {
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let app = App(bundleId: "com.example.reader", subscriptionGroups: [group])
        return EligibilityEndpoint(
            clients: ClientDirectory([client]),
            signOffers: SignOffers(
                apps: [SigningApp(app: app, signer: NoSigner())],
                evidenceReader: AppStoreEvidenceReader(),
                maximumEvidenceAgeSeconds: 0,
                ledger: ScriptedLedger(),
                now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
            )
        )
    }

    private func answer(_ members: String) async throws(Problem) -> String {
        String(decoding: try await endpoint(abc).answer(Array("{\(members)}".utf8), for: abc), as: UTF8.self)
    }

    private static let active = #"""
        "evidence":{"receiptResponse":{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.reader",
        "request_date_ms":1795262400000},"pending_renewal_info":[{"product_id":"p"}]}}
        """#

    @Test("Every offer and every product asked for has its decision, and none a signature")
    func full() async throws {
        #expect(
            try await answer(#"\#(Self.active),"products":["p","q"]"#) == #"""
                {"bundleId":"com.example.reader","environment":"Production","account":{},"decisions":[{"productId":"p",\#
                "offerId":"o","verdict":"eligible","reason":"active","detail":"The subscription is active; the offer is for \#
                every current or former subscriber.","begins":"next_renewal"}],"products":[{"productId":"p",\#
                "introductoryOffer":{"verdict":"ineligible","reason":"active_subscription","detail":"Subscription of p; the \#
                evidence has no transaction of it that counts. The subscription is active."}},{"productId":"q","introductoryOffer":{\#
                "verdict":"unknown","reason":"group_unknown","detail":"The catalog has no product q, so its group is not \#
                known."}}]}
                """#
        )
    }

    @Test("Explanations come on request, line by line")
    func explanation() async throws {
        #expect(try await !answer(Self.active).contains("explanation"))
        let explained = try await answer(#"\#(Self.active),"products":["p"],"explain":true"#)
        #expect(
            explained.contains(
                #""explanation":[{"rule":"catalog","saw":"The catalog has the offer o on p.","verdict":"eligible"},"#
            )
        )
        #expect(explained.contains(#"{"rule":"activeSubscription","saw":""#))
    }

    @Test(
        "It takes what a signature call takes, but no formats",
        arguments: [
            (#""applicationUsername":"a","formats":["discount"]"#, "400 unknown_member /formats"),
            (#""applicationUsername":"a","products":"p""#, "400 wrong_type /products"),
            (#""applicationUsername":"a","products":[""]"#, "400 invalid_value /products/0"),
            (#""applicationUsername":"a","offers":[]"#, "400 invalid_value /offers"),
            (#""applicationUsername":"a","colour":1"#, "400 unknown_member /colour"),
            (#""products":["p"]"#, "400 missing_member /evidence"),
            (#""applicationUsername":"a","bundleId":"other""#, "403 app_not_allowed /bundleId"),
            (
                #""evidence":{"receiptResponse":{"status":21003}}"#,
                "422 receipt_status /evidence/receiptResponse/status"
            ),
        ]
    )
    func faults(members: String, expected: String) async {
        let problem = await #expect(throws: Problem.self) { try await answer(members) }
        #expect(problem.map { "\($0.status) \($0.code) \($0.pointer ?? "")" } == expected)
    }

    @Test("A hundred products are taken, and no more")
    func most() async throws {
        func products(_ count: Int) -> String {
            #""applicationUsername":"a","products":[\#(Array(repeating: "\"p\"", count: count).joined(separator: ","))]"#
        }
        await #expect(throws: Never.self) { try await answer(products(100)) }
        await #expect(throws: Problem.self) { try await answer(products(101)) }
    }

    @Test("The scope is eligibility, not sign")
    func scope() throws {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/v1/eligibility")
        head.headerFields[.authorization] = "Bearer abc"
        head.headerFields[.contentType] = "application/json"
        let reader = Client(name: "r", tokenSHA256: [sha256OfAbc], apps: ["a"], scopes: [.eligibility])
        #expect(throws: Never.self) { try endpoint(reader).admit(RequestHead(head)) }
        let signer = Client(name: "s", tokenSHA256: [sha256OfAbc], apps: ["a"], scopes: [.sign])
        #expect(throws: Problem.scopeNotAllowed(.eligibility)) { try endpoint(signer).admit(RequestHead(head)) }
    }

    @Test("Evidence of a kind that the client may not send is refused")
    func kinds() async {
        let client = Client(name: "c", tokenSHA256: [sha256OfAbc], apps: ["com.example.reader"], evidence: [])
        let problem = await #expect(throws: Problem.self) {
            try await endpoint(client).answer(Array("{\(Self.active)}".utf8), for: client)
        }
        #expect(problem?.code == "evidence_not_allowed")
    }
}

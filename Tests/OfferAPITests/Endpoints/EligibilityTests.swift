import OfferService
import Offers
import Testing

@testable import OfferAPI

@Suite("Eligibility over the wire")
struct EligibilityTests {
    private let abc = Client.abc

    private func ask(_ members: String) async throws -> TestAnswer {
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let app = App(bundleId: "com.example.reader", subscriptionGroups: [group])
        let endpoints = PublicEndpoints.test(abc, apps: [SigningApp(app: app, signer: ConstantSigner())])
        return try await TestListener(endpoints).ask(TestRequest("/v1/eligibility", "{\(members)}"))
    }

    private func answer(_ members: String) async throws -> String { try await ask(members).body }

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
                every current or former subscriber.","source":"evidence","asOf":"2026-11-21T12:00:00Z","begins":"next_renewal"}],"products":[{"productId":"p",\#
                "introductoryOffer":{"verdict":"ineligible","reason":"active_subscription","detail":"Subscription of p; the \#
                evidence has no transaction of it that counts. The subscription is active.","source":"evidence",\#
                "asOf":"2026-11-21T12:00:00Z"}},{"productId":"q","introductoryOffer":{\#
                "verdict":"unknown","reason":"group_unknown","detail":"The catalog has no product q, so its group is not \#
                known.","source":"evidence","asOf":"2026-11-21T12:00:00Z"}}]}
                """#
        )
    }

    @Test("An iOS 6 style answer without environment is told what to send in its place, as one without a date is")
    func oldAnswer() async throws {
        let receipt =
            #"{"bid":"com.example.reader","product_id":"p","original_transaction_id":"1","transaction_id":"1","#
            + #""expires_date":"1792670400000"}"#
        for environment in ["", #""environment":"Production","#] {
            let evidence = #"{\#(environment)"status":21006,"auto_renew_status":0,"receipt":\#(receipt)}"#
            let body = try await answer(#""evidence":{"receiptResponse":\#(evidence)},"explain":true"#)
            #expect(body.contains("send that receipt itself, as receipt."), "\(body)")
            #expect(body.contains(environment.isEmpty ? "environment_not_allowed" : "evidence_stale"), "\(body)")
        }
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
        ]
    )
    func faults(members: String, expected: String) async throws {
        #expect(try await ask(members).summary == expected)
    }

    @Test("A hundred products are taken, and no more")
    func most() async throws {
        func products(_ count: Int) -> String {
            #""applicationUsername":"a","products":[\#(Array(repeating: "\"p\"", count: count).joined(separator: ","))]"#
        }
        #expect(try await ask(products(100)).status == 200)
        #expect(try await ask(products(101)).status == 400)
    }
}

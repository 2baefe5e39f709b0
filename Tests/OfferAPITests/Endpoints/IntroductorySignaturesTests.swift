import OfferService
import Offers
import Testing

@testable import OfferAPI

@Suite("Introductory eligibility signatures over the wire")
struct IntroductorySignaturesTests {
    private let abc = Client.abc

    private func listener(_ client: Client, issuerId: String? = "issuer") -> TestListener {
        let app = App(
            bundleId: "com.example.reader",
            subscriptionGroups: [SubscriptionGroup(id: "1", products: [Product(id: "p")])]
        )
        let signing = SigningApp(app: app, signer: ConstantSigner(), issuerId: issuerId)
        return TestListener(PublicEndpoints.test(client, apps: [signing]))
    }

    private static func request(_ members: String) -> TestRequest {
        TestRequest("/v1/introductory-eligibility-signatures", "{\(members)}")
    }

    private func ask(_ members: String, issuerId: String? = "issuer") async throws -> TestAnswer {
        try await listener(abc, issuerId: issuerId).ask(Self.request(members))
    }

    private func answer(_ members: String) async throws -> String { try await ask(members).body }

    private static let newcomer = #"""
        "evidence":{"receiptResponse":{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.reader",
        "request_date_ms":1795262400000}}}
        """#

    /// The same customer with something bought that is no subscription.
    private static let buyer = newcomer.replacing(
        #""request_date_ms":1795262400000"#,
        with: #""request_date_ms":1795262400000,"in_app":[{"product_id":"coins","transaction_id":"7042"}]"#
    )

    @Test("Each product has its verdict, and its signature where there is one")
    func full() async throws {
        let text = try await answer(#"\#(Self.buyer),"products":["p","q"],"transactionId":"7042""#)
        let jws = try #require(text.firstMatch(of: /"jws":"([^"]+)"/)).1
        #expect(jws.split(separator: ".").count == 3)
        #expect(
            text.replacing(jws, with: "JWS") == #"""
                {"bundleId":"com.example.reader","environment":"Production","account":{},"products":[{"productId":"p",\#
                "introductoryOffer":{"verdict":"eligible","reason":"never_used","detail":"No trial or introductory price of \#
                group 1 was used, and no subscription of it is running.",\#
                "source":"evidence","asOf":"2026-11-21T12:00:00Z"},"allowIntroductoryOffer":true,"jws":"JWS",\#
                "expiresAt":"2026-11-22T12:00:00Z"},{"productId":"q","introductoryOffer":{"verdict":"unknown",\#
                "reason":"group_unknown","detail":"The catalog has no product q, so its group is not known.",\#
                "source":"evidence","asOf":"2026-11-21T12:00:00Z"}}]}
                """#
        )
        let refused = try await answer(
            #"\#(Self.buyer),"products":["p"],"transactionId":"7042","allowIntroductoryOffer":false,"explain":true"#
        )
        #expect(refused.contains(#""allowIntroductoryOffer":false"#))
        #expect(refused.contains(#""explanation":[{"rule":"catalog""#))
    }

    @Test(
        "Every fault has its code, and points to its field",
        arguments: [
            (newcomer, "400 missing_member /products"), (#"\#(newcomer),"products":[]"#, "400 invalid_value /products"),
            (#"\#(newcomer),"products":"p""#, "400 wrong_type /products"),
            (#"\#(newcomer),"products":[1]"#, "400 wrong_type /products/0"),
            (#"\#(newcomer),"products":["p"]"#, "400 missing_member /transactionId"),
            (#"\#(newcomer),"products":["p"],"transactionId":"7042""#, "422 transaction_mismatch /transactionId"),
            (#"\#(newcomer),"products":["p"],"transactionId":"a""#, "400 invalid_value /transactionId"),
            (#"\#(newcomer),"products":["p"],"transactionId":7042"#, "400 wrong_type /transactionId"),
            (#"\#(newcomer),"products":["p"],"allowIntroductoryOffer":1"#, "400 wrong_type /allowIntroductoryOffer"),
            (#"\#(newcomer),"products":["p"],"offers":[]"#, "400 unknown_member /offers"),
            (#"\#(newcomer),"products":["p"],"formats":["jws"]"#, "400 unknown_member /formats"),
            (#"\#(newcomer),"products":["p"],"colour":1"#, "400 unknown_member /colour"),
            (#""products":["p"]"#, "400 missing_member /evidence"),
            (#"\#(newcomer),"products":["p"],"bundleId":"other""#, "403 app_not_allowed /bundleId"),
        ] as [(String, String)]
    )
    func faults(members: String, expected: String) async throws {
        #expect(try await ask(members).summary == expected)
    }

    @Test("An app whose key has no issuer in the catalog is named as not supported")
    func issuer() async throws {
        let answer = try await ask(Self.newcomer + #","products":["p"],"transactionId":"7042""#, issuerId: nil)
        #expect(answer.summary == "400 not_supported ")
        #expect(answer.member("detail")?.contains("issuerId") == true)
    }

    @Test("Every product counts as a signature of the client's rate")
    func rate() async throws {
        let client = Client(
            name: "c",
            tokenSHA256: [sha256OfAbc],
            apps: ["com.example.reader"],
            evidence: Set(EvidenceKind.allCases),
            signaturesPerSecond: 100
        )
        let products = Array(repeating: "\"p\"", count: 100).joined(separator: ",")
        let request = Self.request(#"\#(Self.buyer),"products":[\#(products)],"transactionId":"7042""#)
        let listener = listener(client)
        #expect(try await listener.ask(request).status == 200)
        var status = 200
        for _ in 0..<100 where status == 200 { status = try await listener.ask(request).status }
        #expect(status == 429)
        let eligibility = TestRequest("/v1/eligibility", "{\(Self.buyer)}")
        #expect(try await listener.ask(eligibility).status == 200, "it needs no signature")
    }
}

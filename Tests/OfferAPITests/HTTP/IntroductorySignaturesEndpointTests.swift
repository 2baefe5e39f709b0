import AppStore
import HTTPTypes
import LedgerFixtures
import OfferService
import Offers
import Testing

@testable import OfferAPI

/// r is 1 and s is 2, whatever is signed.
private struct ConstantSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        [0x30, 6, 0x02, 1, 1, 0x02, 1, 2]
    }
}

@Suite("Introductory eligibility signatures over the wire")
struct IntroductorySignaturesEndpointTests {
    private let abc = Client(
        name: "abc",
        tokenSHA256: [sha256OfAbc],
        apps: ["com.example.reader"],
        evidence: Set(EvidenceKind.allCases)
    )

    private func endpoint(
        _ client: Client,
        issuerId: String? = "issuer"
    ) -> IntroductorySignaturesEndpoint {
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p")])
        let app = App(bundleId: "com.example.reader", subscriptionGroups: [group])
        return IntroductorySignaturesEndpoint(
            clients: ClientDirectory([client]),
            signOffers: SignOffers(
                apps: [SigningApp(app: app, signer: ConstantSigner(), issuerId: issuerId)],
                evidenceReader: AppStoreEvidenceReader(),
                maximumEvidenceAgeSeconds: 0,
                ledger: ScriptedLedger(),
                now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
            )
        )
    }

    private func answer(_ members: String, issuerId: String? = "issuer") async throws(Problem) -> String {
        let bytes = try await endpoint(abc, issuerId: issuerId).answer(Array("{\(members)}".utf8), for: abc)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let newcomer = #"""
        "evidence":{"receiptResponse":{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.reader",
        "request_date_ms":1795262400000}}}
        """#

    @Test("Each product has its verdict, and its signature where there is one")
    func full() async throws {
        let text = try await answer(#"\#(Self.newcomer),"products":["p","q"],"transactionId":"7042""#)
        let jws = try #require(text.firstMatch(of: /"jws":"([^"]+)"/)).1
        #expect(jws.split(separator: ".").count == 3)
        #expect(
            text.replacing(jws, with: "JWS") == #"""
                {"bundleId":"com.example.reader","environment":"Production","account":{},"products":[{"productId":"p",\#
                "introductoryOffer":{"verdict":"eligible","reason":"never_used","detail":"No trial or introductory price of \#
                group 1 was used, and no subscription of it is running."},"allowIntroductoryOffer":true,"jws":"JWS",\#
                "expiresAt":"2026-11-22T12:00:00Z"},{"productId":"q","introductoryOffer":{"verdict":"unknown",\#
                "reason":"group_unknown","detail":"The catalog has no product q, so its group is not known."}}]}
                """#
        )
        let refused = try await answer(
            #"\#(Self.newcomer),"products":["p"],"transactionId":"7042","allowIntroductoryOffer":false,"explain":true"#
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
            (#"\#(newcomer),"products":["p"],"transactionId":"a""#, "400 invalid_value /transactionId"),
            (#"\#(newcomer),"products":["p"],"transactionId":7042"#, "400 wrong_type /transactionId"),
            (#"\#(newcomer),"products":["p"],"allowIntroductoryOffer":1"#, "400 wrong_type /allowIntroductoryOffer"),
            (#"\#(newcomer),"products":["p"],"offers":[]"#, "400 unknown_member /offers"),
            (#"\#(newcomer),"products":["p"],"formats":["jws"]"#, "400 unknown_member /formats"),
            (#"\#(newcomer),"products":["p"],"colour":1"#, "400 unknown_member /colour"),
            (#""products":["p"]"#, "400 missing_member /evidence"),
            (#"\#(newcomer),"products":["p"],"bundleId":"other""#, "403 app_not_allowed /bundleId"),
            (
                #""products":["p"],"evidence":{"receiptResponse":{"status":21003}}"#,
                "422 receipt_status /evidence/receiptResponse/status"
            ),
        ] as [(String, String)]
    )
    func faults(members: String, expected: String) async {
        let problem = await #expect(throws: Problem.self) { try await answer(members) }
        #expect(problem.map { "\($0.status) \($0.code) \($0.pointer ?? "")" } == expected)
    }

    @Test("An app whose key has no issuer in the catalog is named as not supported")
    func issuer() async {
        let problem = await #expect(throws: Problem.self) {
            try await answer(Self.newcomer + #","products":["p"],"transactionId":"7042""#, issuerId: nil)
        }
        #expect(problem?.status == 400)
        #expect(problem?.code == "not_supported")
        #expect(problem?.detail.contains("issuerId") == true)
    }

    @Test("The scope is sign")
    func scope() throws {
        var head = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "a",
            path: "/v1/introductory-eligibility-signatures"
        )
        head.headerFields[.authorization] = "Bearer abc"
        head.headerFields[.contentType] = "application/json"
        let signer = Client(name: "s", tokenSHA256: [sha256OfAbc], apps: ["a"], scopes: [.sign])
        #expect(throws: Never.self) { try endpoint(signer).admit(RequestHead(head)) }
        let reader = Client(name: "r", tokenSHA256: [sha256OfAbc], apps: ["a"], scopes: [.eligibility])
        #expect(throws: Problem.scopeNotAllowed(.sign)) { try endpoint(reader).admit(RequestHead(head)) }
    }

    @Test("Every product counts as a signature of the client's rate")
    func rate() async {
        let client = Client(
            name: "c",
            tokenSHA256: [sha256OfAbc],
            apps: ["com.example.reader"],
            evidence: Set(EvidenceKind.allCases),
            signaturesPerSecond: 100
        )
        let products = Array(repeating: "\"p\"", count: 100).joined(separator: ",")
        let body = Array(#"{\#(Self.newcomer),"products":[\#(products)],"transactionId":"7042"}"#.utf8)
        let endpoint = endpoint(client)
        await #expect(throws: Never.self) { try await endpoint.answer(body, for: client) }
        let problem = await #expect(throws: Problem.self) {
            for _ in 0..<100 { _ = try await endpoint.answer(body, for: client) }
        }
        #expect(problem?.status == 429)
    }

    @Test("Evidence of a kind that the client may not send is refused")
    func kinds() async {
        let client = Client(name: "c", tokenSHA256: [sha256OfAbc], apps: ["com.example.reader"], evidence: [])
        let problem = await #expect(throws: Problem.self) {
            try await endpoint(client).answer(Array("{\(Self.newcomer),\"products\":[\"p\"]}".utf8), for: client)
        }
        #expect(problem?.code == "evidence_not_allowed")
    }
}

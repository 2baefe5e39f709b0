import FakeServer
import Foundation
import Testing

@testable import OfferSignerClient

@Suite("The members of a request are those that the caller gave")
struct RequestMembersTests {
    private static let evidence = Evidence.signedTransactions(["t"], renewalInfos: ["i"])
    private static let account = Account.applicationUsername("reader")
    private static let offer = RequestedOffer(productId: "p", offerId: "o")

    /// The path and the body of a call, whatever its answer.
    private func sent(_ call: (OfferSigner) async throws -> Void) async throws -> (path: String, body: NSDictionary?) {
        let service = try ScriptedService(FakeServer.Reply(404, "{}"))
        try? await call(service.client())
        let request = try #require(service.requests.first)
        return (request.path, try JSONSerialization.jsonObject(with: request.body) as? NSDictionary)
    }

    private func object(_ json: String) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary
    }

    @Test("Of signatures")
    func signatures() async throws {
        let request = SignatureRequest(
            bundleId: "b",
            account: Self.account,
            evidence: Self.evidence,
            offers: [Self.offer],
            formats: [.jws],
            explain: true
        )
        let body = try await sent { _ = try await $0.signatures(request) }.body
        let expected = #"""
            {"bundleId":"b","applicationUsername":"reader","offers":[{"productId":"p","offerId":"o"}],"formats":["jws"],
            "explain":true,"evidence":{"signedTransactions":["t"],"signedRenewalInfos":["i"]}}
            """#
        #expect(try body == object(expected))
    }

    @Test("Of introductory signatures")
    func introductory() async throws {
        let request = IntroductorySignatureRequest(
            bundleId: "b",
            account: Self.account,
            evidence: Self.evidence,
            products: ["p"],
            transactionId: "7",
            allowIntroductoryOffer: false,
            explain: true
        )
        let body = try await sent { _ = try await $0.introductoryEligibilitySignatures(request) }.body
        let expected = #"""
            {"bundleId":"b","applicationUsername":"reader","products":["p"],"transactionId":"7",
            "allowIntroductoryOffer":false,"explain":true,
            "evidence":{"signedTransactions":["t"],"signedRenewalInfos":["i"]}}
            """#
        #expect(try body == object(expected))
    }

    @Test("Of eligibility")
    func eligibility() async throws {
        let request = EligibilityRequest(
            bundleId: "b",
            account: Self.account,
            evidence: nil,
            offers: [Self.offer],
            products: ["p"],
            explain: true
        )
        let body = try await sent { _ = try await $0.eligibility(request) }.body
        let expected = #"""
            {"bundleId":"b","applicationUsername":"reader","offers":[{"productId":"p","offerId":"o"}],"products":["p"],
            "explain":true}
            """#
        #expect(try body == object(expected))
    }

    @Test("Of a report of a signature, and of products")
    func reports() async throws {
        let report = SignatureReport(
            bundleId: "b",
            keyIdentifier: "k",
            productId: "p",
            offerId: "o",
            account: Self.account,
            nonce: "n",
            timestamp: 1,
            signature: "s",
            payload: [0x61, 0xE2, 0x81, 0xA3],
            storeKitError: 12
        )
        let body = try await sent { _ = try await $0.diagnose(report) }.body
        let expected = #"""
            {"bundleId":"b","keyIdentifier":"k","productId":"p","offerId":"o","applicationUsername":"reader","nonce":"n",
            "timestamp":1,"signature":"s","payload":"YeKBow==","storeKitError":12}
            """#
        #expect(try body == object(expected))
        let jws = JWSReport(productId: "p", offerId: "o", jws: "a.b.c", transactionId: "1", storeKitError: "unknown")
        let jwsBody = try await sent { _ = try await $0.diagnose(jws) }.body
        let ofJWS = #"{"productId":"p","offerId":"o","jws":"a.b.c","transactionId":"1","storeKitError":"unknown"}"#
        #expect(try jwsBody == object(ofJWS))
        let introductory = JWSReport(productId: "p", allowIntroductoryOffer: true, jws: "a", resultingTransaction: "t")
        let introductoryBody = try await sent { _ = try await $0.diagnose(introductory) }.body
        let ofIntroductory = #"{"productId":"p","allowIntroductoryOffer":true,"jws":"a","resultingTransaction":"t"}"#
        #expect(try introductoryBody == object(ofIntroductory))
        let seen = ProductReport(productId: "p", price: "9.99", countryCode: "DE", currencyCode: "EUR")
        let path = try await sent { try await $0.report([seen], bundleId: "b") }.path
        #expect(path == "/v1/product-reports?bundleId=b")
    }
}

import Foundation
import Testing

@testable import Offers

/// What is known beside a JWS; the mistakes in one are made on top of what Apple's library signs, in Interoperability.
@Suite("Why a JWS brought no offer")
struct JWSDiagnosisTests {
    private static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Header and claims of a right JWS, with its own members.
    private static func signed(_ audience: String, _ members: String) -> String {
        let header = #"{"alg":"ES256","kid":"KEY0","typ":"JWT"}"#
        let claims = #"""
            {"iss":"\#(issuerId)","iat":\#(BackendMistake.now / 1000),"aud":"\#(audience)","bid":"com.example.Reader",
            "nonce":"\#(BackendMistake.nonce)","productId":"monthly","transactionId":"1",\#(members)}
            """#
        return base64URL(header.utf8) + "." + base64URL(claims.utf8)
    }

    private static let promotional = signed("promotional-offer", #""offerIdentifier":"back50""#)

    private func diagnose(
        _ text: String = promotional,
        offerId: String? = "back50",
        allowing: Bool? = nil,
        transactionId: String? = nil,
        error: ReportedError? = nil,
        purchase: ReportedPurchase? = nil,
        held: Set<String> = [],
        record: RecordedSignature? = nil
    ) -> Diagnosis {
        let report = JWSReport(
            bundleId: "com.example.Reader",
            productId: "monthly",
            offerId: offerId,
            allowIntroductoryOffer: allowing,
            jws: text + "." + Self.base64URL([UInt8](repeating: 7, count: 64)),
            transactionId: transactionId,
            storeKitError: error
        )
        let key = CountingVerifier("KEY0", signed: text)
        let app = DiagnosableApp(app: BackendMistake.app, verifiers: [key], issuerIds: ["KEY0": Self.issuerId])
        return Diagnostician(of: app, record: record, now: clock)
            .diagnose(report, ReportedJWS(report.jws), purchase: purchase, customerIds: held)
    }

    @Test("A JWS about the introductory offer, and StoreKit's decision", arguments: [true, false])
    func introductory(allows: Bool) {
        let text = Self.signed("introductory-offer-eligibility", #""allowIntroductoryOffer":\#(allows)"#)
        func diagnose(_ expected: Bool?, _ purchase: RedeemedOffer?? = .none) -> Diagnosis {
            let purchase = purchase.map { ReportedPurchase(productId: "monthly", offer: $0, customerIds: ["1"]) }
            return self.diagnose(text, offerId: nil, allowing: expected, purchase: purchase)
        }
        let right = Diagnosis(isValid: true, causes: [])
        #expect(diagnose(nil) == right)
        #expect(diagnose(allows) == right)
        #expect(diagnose(!allows).causes.map(\.code) == [.offerMismatch])
        #expect(diagnose(allows, .some(.introductory)) == right)
        let plain = diagnose(nil, .some(nil))
        #expect(plain.causes.map(\.code) == [allows ? .offerNotApplied : .offerMismatch])
        #expect(plain.isValid == allows)
    }

    @Test("A right JWS that was refused gets what StoreKit's error rules out, and what remains to be checked")
    func refused() {
        let refused = diagnose(error: .text("invalidOfferSignature"))
        #expect(refused.isValid && refused.causes.map(\.code) == [.unexplained])
        #expect(refused.causes.first?.detail.contains("rules out") == true)
    }

    @Test(
        "A JWS names a transaction of the customer: another one counts where something shows both to be of one customer"
    )
    func transactions() {
        func codes(
            _ transactionId: String?,
            purchase ids: Set<String>? = nil,
            held: Set<String> = [],
            recorded: String? = nil,
            use: RecordedSignature.Use? = nil
        ) -> [DiagnosisCode] {
            let record = recorded.map {
                RecordedSignature(
                    bundleId: "com.example.Reader",
                    keyIdentifier: "KEY0",
                    productId: "monthly",
                    offerId: "back50",
                    account: .other,
                    timestamp: clock,
                    isDiscount: false,
                    originalTransactionId: $0,
                    use: use
                )
            }
            let offer = RedeemedOffer.promotional("back50")
            let purchase = ids.map { ReportedPurchase(productId: "monthly", offer: offer, customerIds: $0) }
            return diagnose(transactionId: transactionId, purchase: purchase, held: held, record: record)
                .causes.map(\.code)
        }
        #expect(codes(nil) == [])
        #expect(codes("1") == [])
        #expect(codes("2") == [.transactionMismatch])
        #expect(codes("2", purchase: ["1", "3"]) == [])
        #expect(codes(nil, purchase: ["2", "3"]) == [.transactionMismatch])
        #expect(codes("2", held: ["1", "2"]) == [])
        #expect(codes("2", held: ["3"]) == [.transactionMismatch])
        #expect(codes("2", recorded: "2") == [])
        #expect(codes("2", recorded: "3") == [.transactionMismatch])
        let use = RecordedSignature.Use(redeemedAt: clock)
        #expect(codes("2", recorded: "2", use: use) == [.signatureUsed])
        #expect(codes("2", recorded: "3", use: use) == [.transactionMismatch])
    }

    @Test(
        "Text that is no JWS is malformed",
        arguments: ["", "a", "a.b.c", "....", "{}", "%zz", "\u{2063}.\u{2063}.\u{2063}", "e30.e30.e30"]
    )
    func malformed(text: String) {
        #expect(!ReportedJWS(text).malformed.isEmpty)
    }
}

import Crypto
import Foundation
import OfferService
import Offers
import SubscriptionKeys
import Testing

@Suite("Right signatures")
struct RightSignaturesTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    private let app = App(
        bundleId: "com.example.Reader",
        subscriptionGroups: [
            SubscriptionGroup(
                id: "1",
                products: (0..<5).map { product in
                    Product(id: "product\(product)", offers: (0..<3).map { PromotionalOffer(id: "offer\($0)") })
                }
            )
        ]
    )

    /// A key as the service loads it, from a file.
    private func signer() throws -> SigningKey {
        try SecureHeap.initialize()
        let file = FileManager.default.temporaryDirectory.appending(path: "SubscriptionKey_\(UUID().uuidString).p8")
        defer { try? FileManager.default.removeItem(at: file) }
        let pem = Data(P256.Signing.PrivateKey().pemRepresentation.utf8)
        guard FileManager.default.createFile(atPath: file.path, contents: pem, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return try SigningKey(contentsOf: file.path, keyIdentifier: "RIGHTKEY12")
    }

    private func account(_ number: Int) throws -> Account {
        switch number % 3 {
        case 0: .appAccountToken(try #require(AppAccountToken(UUID().uuidString)))
        case 1: .applicationUsername("Reader-\(UInt64.random(in: 0...(.max)))")
        default: .none
        }
    }

    private func diagnostician(_ signer: SigningKey, record: RecordedSignature? = nil) throws -> Diagnostician {
        let verifier = try #require(
            P256Verifier(keyIdentifier: signer.keyIdentifier, subjectPublicKeyInfo: signer.publicKeySPKI)
        )
        return Diagnostician(
            app: app,
            verifiers: [verifier],
            issuerIds: [signer.keyIdentifier: Self.issuerId],
            otherBundleIds: ["com.example.other"],
            record: record,
            now: Self.now
        )
    }

    @Test("Of 10,000 random ones none is called wrong")
    func none() throws {
        let signer = try signer()
        let judge = try diagnostician(signer)
        let right = Diagnosis(isValid: true, causes: [])
        let issuer = AppStoreRequestIssuer(bundleId: app.bundleId, issuerId: Self.issuerId)
        for number in 0..<5000 {
            let (productId, offerId) = ("product\(number % 5)", "offer\(number % 3)")
            let moment = Self.now.adding(milliseconds: -Int64.random(in: 0..<86_399_000))
            let account = try account(number)
            let discount = try Discount(
                offerId: offerId,
                productId: productId,
                bundleId: app.bundleId,
                account: account,
                timestamp: moment,
                signer: signer
            )
            let report = SignatureReport(
                bundleId: app.bundleId,
                keyIdentifier: discount.keyIdentifier,
                productId: productId,
                offerId: offerId,
                account: account,
                nonce: discount.nonce.text,
                timestamp: discount.timestamp.millisecondsSince1970,
                signature: Data(discount.signature).base64EncodedString()
            )
            let found = judge.diagnose(report)
            #expect(found == right, "\(report)")

            let transactionId = number.isMultiple(of: 2) ? String(UInt64.random(in: 1...(.max))) : nil
            let compact = try PromotionalOfferJWS(
                offerId: offerId,
                productId: productId,
                transactionId: transactionId,
                issuer: issuer,
                timestamp: moment,
                signer: signer
            ).compact
            let ofJWS = JWSReport(
                bundleId: app.bundleId,
                productId: productId,
                offerId: offerId,
                jws: compact,
                transactionId: transactionId
            )
            let foundInJWS = judge.diagnose(ofJWS, ReportedJWS(compact))
            #expect(foundInJWS == right, "\(compact)")
        }
    }

    @Test("A JWS about the introductory offer, and StoreKit's decision", arguments: [true, false])
    func introductory(allows: Bool) throws {
        let signer = try signer()
        let compact = try IntroductoryOfferEligibilityJWS(
            productId: "product0",
            allowIntroductoryOffer: allows,
            transactionId: "1",
            issuer: AppStoreRequestIssuer(bundleId: app.bundleId, issuerId: Self.issuerId),
            timestamp: Self.now,
            signer: signer
        ).compact
        func diagnose(_ expected: Bool?, _ purchase: ReportedPurchase? = nil) throws -> Diagnosis {
            let report = JWSReport(
                bundleId: app.bundleId,
                productId: "product0",
                offerId: nil,
                allowIntroductoryOffer: expected,
                jws: compact
            )
            return try diagnostician(signer).diagnose(report, ReportedJWS(compact), purchase: purchase)
        }
        func purchase(_ offer: RedeemedOffer?) -> ReportedPurchase {
            ReportedPurchase(productId: "product0", offer: offer, customerIds: ["1"])
        }
        #expect(try diagnose(nil) == Diagnosis(isValid: true, causes: []))
        #expect(try diagnose(allows) == Diagnosis(isValid: true, causes: []))
        #expect(try diagnose(!allows).causes.map(\.code) == [.offerMismatch])
        #expect(try diagnose(allows, purchase(.introductory)).causes.isEmpty)
        let plain = try diagnose(nil, purchase(nil))
        #expect(plain.causes.map(\.code) == [allows ? .offerNotApplied : .offerMismatch])
        #expect(plain.isValid == allows)
    }

    @Test(
        "A JWS names a transaction of the customer: another one counts where something shows both to be of one customer"
    )
    func transactions() throws {
        let signer = try signer()
        let compact = try PromotionalOfferJWS(
            offerId: "offer0",
            productId: "product0",
            transactionId: "1",
            issuer: AppStoreRequestIssuer(bundleId: app.bundleId, issuerId: Self.issuerId),
            timestamp: Self.now,
            signer: signer
        ).compact
        func codes(
            _ transactionId: String?,
            purchase ids: Set<String>? = nil,
            held: Set<String> = [],
            recorded: String? = nil,
            use: RecordedSignature.Use? = nil
        ) throws -> [DiagnosisCode] {
            let report = JWSReport(
                bundleId: app.bundleId,
                productId: "product0",
                offerId: "offer0",
                jws: compact,
                transactionId: transactionId
            )
            let record = recorded.map {
                RecordedSignature(
                    bundleId: app.bundleId,
                    keyIdentifier: signer.keyIdentifier,
                    productId: "product0",
                    offerId: "offer0",
                    account: .other,
                    timestamp: Self.now,
                    isDiscount: false,
                    originalTransactionId: $0,
                    use: use
                )
            }
            let judge = try diagnostician(signer, record: record)
            let offer = RedeemedOffer.promotional("offer0")
            let purchase = ids.map { ReportedPurchase(productId: "product0", offer: offer, customerIds: $0) }
            return judge.diagnose(report, ReportedJWS(compact), purchase: purchase, customerIds: held).causes.map(
                \.code
            )
        }
        #expect(try codes(nil).isEmpty)
        #expect(try codes("1").isEmpty)
        #expect(try codes("2") == [.transactionMismatch])
        #expect(try codes("2", purchase: ["1", "3"]).isEmpty)
        #expect(try codes(nil, purchase: ["2", "3"]) == [.transactionMismatch])
        #expect(try codes("2", held: ["1", "2"]).isEmpty)
        #expect(try codes("2", held: ["3"]) == [.transactionMismatch])
        #expect(try codes("2", recorded: "2").isEmpty)
        #expect(try codes("2", recorded: "3") == [.transactionMismatch])
        let use = RecordedSignature.Use(redeemedAt: Self.now)
        #expect(try codes("2", recorded: "2", use: use) == [.signatureUsed])
        #expect(try codes("2", recorded: "3", use: use) == [.transactionMismatch])
    }
}

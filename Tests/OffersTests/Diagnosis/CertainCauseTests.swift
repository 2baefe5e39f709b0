import Offers
import Testing

@Suite("Certain causes beside a payload for another app, or beside other values than those on record")
struct CertainCauseTests {
    private static let nonce = "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c"

    private static func app(_ bundleId: String, _ productId: String, offer: String) -> App {
        let product = Product(id: productId, offers: [PromotionalOffer(id: offer)])
        return App(bundleId: bundleId, subscriptionGroups: [SubscriptionGroup(id: bundleId, products: [product])])
    }

    private static let reader = app("com.example.reader", "monthly", offer: "stay")
    private static let other = app("com.example.other", "other.monthly", offer: "here")

    private static func report(
        _ productId: String,
        _ offerId: String,
        timestamp: Int64 = clock.millisecondsSince1970
    ) -> SignatureReport {
        SignatureReport(
            bundleId: reader.bundleId,
            keyIdentifier: "KEY0",
            productId: productId,
            offerId: offerId,
            account: .none,
            nonce: nonce,
            timestamp: timestamp,
            signature: "MAYCAQECAQE="
        )
    }

    /// The causes when what was signed is the report, but for the other app.
    private static func codes(_ productId: String, _ offerId: String, knowing others: [App]) -> [DiagnosisCode] {
        let payload = [
            other.bundleId, "KEY0", productId, offerId, "", nonce, String(clock.millisecondsSince1970),
        ]
        return Diagnostician(
            app: reader,
            verifiers: [CountingVerifier("KEY0", signed: payload.joined(separator: "\u{2063}"))],
            otherBundleIds: [other.bundleId],
            otherApps: others,
            now: clock
        ).diagnose(report(productId, offerId)).causes.map(\.code)
    }

    @Test("The catalog lacks an offer that neither app has, whichever of them it was signed for")
    func neitherHasIt() {
        #expect(Self.codes("monthly", "gone", knowing: [Self.other]) == [.bundleMismatch, .offerNotInCatalog])
        #expect(Self.codes("monthly", "stay", knowing: [Self.other]) == [.bundleMismatch])
        #expect(Self.codes("other.monthly", "here", knowing: [Self.other]) == [.bundleMismatch])
        #expect(Self.codes("other.monthly", "here", knowing: []) == [.bundleMismatch])
    }

    @Test("A time that StoreKit was given is too old by itself", arguments: [0, -5, 1_795_000_000_000])
    func givenTime(timestamp: Int64) {
        let record = RecordedSignature(
            bundleId: Self.reader.bundleId,
            keyIdentifier: "KEY0",
            productId: "monthly",
            offerId: "stay",
            account: .none,
            timestamp: clock
        )
        let judge = Diagnostician(app: Self.reader, verifiers: [], otherBundleIds: [], record: record, now: clock)
        let causes = judge.diagnose(Self.report("monthly", "stay", timestamp: timestamp)).causes
        #expect(causes.map(\.code) == [.timestampExpired, .unexplained])
    }
}

import Offers
import Testing

@Suite("Deciding by signed transactions")
struct SignedTransactionPolicyTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// Decides for a customer who shows one transaction of group 1, signed and expiring some seconds from now.
    private func decide(
        product: String = "monthly",
        signed: Int64 = -60,
        renewalSigned: Int64? = nil,
        expires: Int64 = 3600,
        coverage: HistoryCoverage = .partial,
        limit: Int64 = 1000
    ) -> Decision {
        let transaction = Transaction(
            originalTransactionId: "1",
            productId: "monthly",
            purchaseDate: now.adding(seconds: -90_000),
            expiresDate: now.adding(seconds: expires),
            signedDate: now.adding(seconds: signed)
        )
        let renewal = RenewalInfo(
            originalTransactionId: "1",
            productId: "monthly",
            signedDate: renewalSigned.map(now.adding(seconds:))
        )
        let history = SubscriptionHistory(
            bundleId: "com.example.reader",
            environment: .production,
            asOf: now.adding(seconds: max(signed, renewalSigned ?? signed)),
            renewals: [renewal],
            transactions: [transaction],
            coverage: coverage
        )
        let groups = ["monthly", "other"].enumerated().map { index, product in
            SubscriptionGroup(id: "\(index)", products: [Product(id: product, offers: [PromotionalOffer(id: "o")])])
        }
        var policy = OfferPolicy(
            app: App(bundleId: "com.example.reader", subscriptionGroups: groups),
            customer: Customer(account: .none, history: history),
            now: now,
            maximumEvidenceAgeSeconds: limit
        )
        return policy.decide(OfferRequest(productId: product, offerId: "o"))
    }

    @Test("Expiry is judged at the server's clock, not at the time of signing")
    func clock() {
        #expect(decide(signed: -900, expires: -901).reason == .lapsed)
        #expect(decide(signed: -900, expires: 1).reason == .active)
        #expect(decide(signed: -90, expires: -1, coverage: .newestTransactions).reason == .active)
    }

    @Test("A group that no transaction names is unknown, where another kind of evidence would say never subscribed")
    func incomplete() {
        #expect(decide(product: "other").reason == .noEvidence)
        #expect(decide(product: "other").verdict == .unknown)
        #expect(decide(product: "other", coverage: .newestTransactions).reason == .neverSubscribed)
        #expect(decide(product: "other", coverage: .complete).reason == .neverSubscribed)
    }

    @Test("The age of the transaction and of its renewal info counts")
    func age() {
        #expect(decide(signed: -1000).reason == .active)
        #expect(decide(signed: -1001).reason == .evidenceStale)
        #expect(decide(signed: -60, renewalSigned: -1001).reason == .evidenceStale)
        #expect(decide(signed: -1001, renewalSigned: -60).reason == .evidenceStale)
        #expect(decide(signed: -1_000_000, limit: 0).reason == .active)
    }
}

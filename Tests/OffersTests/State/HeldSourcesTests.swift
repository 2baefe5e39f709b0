import Offers
import Testing

@Suite("What is held of one subscription, told by several")
struct HeldSourcesTests {
    private let app = exampleApp()
    private let ended = bought(on: -60, until: -30, called: "1")
    private let again = bought(on: -0.1, until: 30, called: "2")

    private func decide(_ history: SubscriptionHistory?, _ offer: String = "anyone") -> Reason {
        var policy = OfferPolicy(
            app: app,
            customer: Customer(account: .alice, history: history),
            now: clock,
            maximumEvidenceAgeSeconds: 86_400
        )
        return policy.decide(OfferRequest(productId: "pro.monthly", offerId: offer)).reason
    }

    private func alone(_ lessons: [StateLesson]) -> SubscriptionHistory? {
        SubscriptionHistory(held: held(lessons), of: app, for: Account.alice.view)
    }

    private func updated(_ evidence: SubscriptionHistory, _ source: StateSource, by lessons: [StateLesson])
        -> SubscriptionHistory
    {
        evidence.updated(by: held(lessons), from: source, for: Account.alice.view)
    }

    @Test("What was said of the renewal before a purchase says nothing of the purchase")
    func boughtAgain() {
        let off = lesson(signed(ended, entry(renews: false, ended: true), on: -0.2), for: .alice)
        let purchase = lesson(signed(again, on: -0.05), for: .alice)
        let evidence = history([entry(renews: false, ended: true)], [ended], asOf: day(-0.2))
        for history in [
            alone([off, purchase]), alone([purchase, off]), updated(evidence, .client, by: [purchase]),
            updated(evidence, .fetched, by: [purchase]),
        ] {
            #expect(decide(history) == .active)
            #expect(decide(history, "stay") == .stateNotInAudience)
        }
        // Auto-renew turned off since the purchase is of it, also where the purchase is shown anew.
        let since = lesson(signed(again, entry(renews: false), on: -0.06), for: .alice)
        #expect(decide(alone([off, since, purchase]), "stay") == .activeAutoRenewOff)
    }

    @Test("A purchase that a client alone told of is not put beside what Apple said, but its redemption counts")
    func clientsPurchase() {
        var purchase = again
        purchase.offer = .promotional("once")
        let fetched = lesson(
            history([entry(renews: false, ended: true)], [ended], asOf: day(-0.2)),
            .fetched,
            for: .alice
        )
        let sent = lesson(history([entry(renews: false)], [ended, purchase], asOf: clock), .client, for: .alice)
        let before = history([entry(ended: true)], [ended], asOf: day(-0.3))
        for history in [
            alone([fetched, sent]), alone([sent, fetched]), updated(before, .client, by: [fetched, sent]),
        ] {
            #expect(decide(history, "comeback") == .lapsed)
            #expect(decide(history, "once") == .redemptionLimit)
        }
        let news = bought("2", "news.monthly")
        let other = history([entry("2", "news.monthly")], [news], asOf: day(-0.3), coverage: .partial)
        #expect(decide(updated(other, .signed, by: [fetched, sent]), "comeback") == .lapsed)
        #expect(decide(updated(other, .signed, by: [fetched, sent]), "once") == .redemptionLimit)
        // Of two answers that a client sent since, the newer one counts.
        let between = history([entry(ended: true)], [ended], asOf: day(-0.15))
        #expect(decide(updated(between, .client, by: [fetched, sent])) == .active)
        #expect(decide(alone([sent]), "stay") == .activeAutoRenewOff)
    }

    @Test("A redemption that a client told of stays on record beside evidence of Apple's that leaves it out")
    func clientsRedemption() {
        var once = bought(on: -90, until: -60, under: .promotional("once"), called: "1")
        let plain = bought(on: -10, until: 20, called: "2")
        let sent = lesson(history([entry()], [once, plain], asOf: day(-0.5)), .client, for: .alice)
        #expect(decide(alone([sent]), "once") == .redemptionLimit)
        let newest = signed(plain, entry(), on: 0)
        #expect(decide(newest, "once") == .active)
        #expect(decide(updated(newest, .signed, by: [sent]), "once") == .redemptionLimit)
        #expect(decide(updated(signed(plain, on: 0), .signed, by: [sent]), "once") == .redemptionLimit)
        let statuses = history([entry()], [plain], coverage: .newestTransactions)
        #expect(decide(updated(statuses, .fetched, by: [sent]), "once") == .redemptionLimit)
        // Beside another subscription, too.
        let other = signed(bought("2", called: "9"), on: -0.6)
        let shown = lesson(signed(plain, entry(), on: -0.4), for: .alice)
        #expect(decide(updated(other, .signed, by: [sent, shown]), "once") == .redemptionLimit)
        // What Apple says of the transaction counts more.
        once.offer = nil
        let stripped = history([entry()], [once, plain])
        #expect(decide(updated(stripped, .fetched, by: [sent]), "once") == .active)
    }
}

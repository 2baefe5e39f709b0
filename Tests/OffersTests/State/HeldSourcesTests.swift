import Offers
import Testing

@Suite("The state of one subscription from several sources")
struct HeldSourcesTests {
    private let ended = bought(on: -60, until: -30, called: "1")
    private let again = bought(on: -0.1, until: 30, called: "2")

    @Test("News of the renewal from before a purchase says nothing of the purchase")
    func boughtAgain() {
        let off = observation(signed(ended, entry(renews: false, ended: true), on: -0.2), for: .alice)
        let purchase = observation(signed(again, on: -0.05), for: .alice)
        let evidence = history([entry(renews: false, ended: true)], [ended], asOf: day(-0.2))
        for history in [
            alone([off, purchase]), alone([purchase, off]), updated(evidence, by: [purchase], isApples: false),
            updated(evidence, by: [purchase]),
        ] {
            #expect(decide(history) == .active)
            #expect(decide(history, "stay") == .stateNotInAudience)
        }
        // Auto-renew turned off since the purchase is of it, also where the purchase is shown anew.
        let since = observation(signed(again, entry(renews: false), on: -0.06), for: .alice)
        #expect(decide(alone([off, since, purchase]), "stay") == .activeAutoRenewOff)
    }

    @Test("A purchase that only a client showed is not put beside Apple's state, but its redemption counts")
    func clientsPurchase() {
        var purchase = again
        purchase.offer = .promotional("once")
        let fetched = observation(history([entry(renews: false, ended: true)], [ended], asOf: day(-0.2)), for: .alice)
        let sent = shown(history([entry(renews: false)], [ended, purchase], asOf: clock), for: .alice)
        let before = history([entry(ended: true)], [ended], asOf: day(-0.3))
        for history in [
            alone([fetched, sent]), alone([sent, fetched]), updated(before, by: [fetched, sent], isApples: false),
        ] {
            #expect(decide(history, "comeback") == .lapsed)
            #expect(decide(history, "once") == .redemptionLimit)
        }
        let news = bought("2", "news.monthly")
        let other = history([entry("2", "news.monthly")], [news], asOf: day(-0.3), coverage: .partial)
        #expect(decide(updated(other, by: [fetched, sent]), "comeback") == .lapsed)
        #expect(decide(updated(other, by: [fetched, sent]), "once") == .redemptionLimit)
    }

    @Test("A redemption that a client showed stays on record beside evidence of Apple's that leaves it out")
    func clientsRedemption() {
        var once = bought(on: -90, until: -60, under: .promotional("once"), called: "1")
        let plain = bought(on: -10, until: 20, called: "2")
        let sent = shown(history([entry()], [once, plain], asOf: day(-0.5)), for: .alice)
        #expect(alone([sent]) == nil)
        let newest = signed(plain, entry(), on: 0)
        #expect(decide(newest, "once") == .active)
        #expect(decide(updated(newest, by: [sent]), "once") == .redemptionLimit)
        #expect(decide(updated(signed(plain, on: 0), by: [sent]), "once") == .redemptionLimit)
        let statuses = history([entry()], [plain], coverage: .newestTransactions)
        #expect(decide(updated(statuses, by: [sent]), "once") == .redemptionLimit)
        // Beside another subscription, too, and alone where Apple said something of either.
        let other = signed(bought("2", called: "9"), on: -0.6)
        let observed = observation(signed(plain, entry(), on: -0.4), for: .alice)
        #expect(decide(updated(other, by: [sent, observed]), "once") == .redemptionLimit)
        #expect(decide(updated(other, by: [sent]), "once") == .redemptionLimit)
        #expect(decide(alone([sent, observed]), "once") == .redemptionLimit)
        #expect(decide(alone([sent, observation(other, for: .alice)]), "once") == .redemptionLimit)
        // What Apple says of the transaction counts more.
        once.offer = nil
        let stripped = history([entry()], [once, plain])
        #expect(decide(updated(stripped, by: [sent]), "once") == .active)
        #expect(decide(alone([sent, observation(stripped, for: .alice)]), "once") == .active)
    }

    @Test("Of a run that a client showed the first transaction is held, which ends with the run: one redemption")
    func clientsRun() throws {
        let run = (0..<3).map { (number: Int) -> Transaction in
            let start = Double(number * 30 - 200)
            return bought(on: start, until: start + 30, under: .promotional("twice"), called: "\(number)")
        }
        let sent = shown(history([entry()], run), for: .alice)
        let subscription = try #require(sent.chapters.first)
        #expect(subscription.shown.map(\.transactionId) == ["0"])
        #expect(subscription.shown.first?.expiresDate == run[2].expiresDate)
        for transactions in [[run[2]], [run[1]], run] {
            let state = held([sent, observation(history([entry()], transactions, coverage: .newestTransactions))])
            #expect(state.chapters.first?.redemptions.map(\.transactionId) == ["0"])
        }
    }
    @Test("A redemption that a client showed refunded is one, and a purchase after it another, shown with it or alone")
    func clientsRefund() {
        let first = bought(on: -30, until: 0, refunded: -20, under: .promotional("twice"), called: "1")
        let second = bought(on: -15, until: 15, under: .promotional("twice"), called: "2")
        let sent = shown(history([entry()], [first, second]), for: .alice)
        for transactions in [[first, second], [second]] {
            let evidence = history([entry()], transactions)
            #expect(decide(updated(evidence, by: [sent], isApples: false), "twice") == .redemptionLimit)
        }
        let before = shown(history([entry()], [first]), for: .alice)
        #expect(
            decide(updated(history([entry()], [second]), by: [before], isApples: false), "twice") == .redemptionLimit
        )
    }

    @Test("A run whose renewal was refunded before it begins is one redemption, also beside what is held of it")
    func clientsRefundAhead() {
        let first = bought(on: -30, until: 1, under: .promotional("twice"), called: "1")
        let ahead = bought(on: 1, until: 31, refunded: -0.5, under: .promotional("twice"), called: "2")
        let evidence = history([entry()], [first, ahead])
        let sent = shown(evidence, for: .alice)
        #expect(decide(updated(evidence, by: [sent], isApples: false), "twice") == .active)
    }
}

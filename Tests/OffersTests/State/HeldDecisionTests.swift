import Offers
import Testing

@Suite("Deciding by held state")
struct HeldDecisionTests {
    @Test("After evidence was sent once, a customer is answered without it, by its account or the one it was sent for")
    func byAccount() {
        let own = observation(signed(bought(by: Account.alice.payloadField), entry(), on: -0.5))
        let sent = observation(history([entry()], [bought()], asOf: day(-0.5)), for: .applicationUsername("carol"))
        #expect(decide(alone([own])) == .active)
        #expect(decide(alone([own], for: .bob), for: .bob) == .noEvidence)
        #expect(
            decide(alone([sent], for: .applicationUsername("carol")), for: .applicationUsername("carol")) == .active
        )
        #expect(alone([sent]) == nil)
        // A client's own words count for their own request.
        let words = shown(history([entry()], [bought()], asOf: day(-0.5)), for: .applicationUsername("carol"))
        #expect(words.isEmpty)
        #expect(alone([words], for: .applicationUsername("carol")) == nil)
        #expect(alone([own], for: .none) == nil)
    }

    @Test("Evidence of one account that is sent for another ties it to no third one")
    func foreignEvidence() {
        let stolen = observation(signed(bought(by: Account.alice.payloadField), entry(), on: -0.5), for: .bob)
        #expect(alone([stolen], for: .bob) == nil)
        #expect(decide(alone([stolen])) == .active)
    }

    @Test("An account that Apple names later shuts out the accounts that presented the evidence before")
    func laterOwner() {
        let sent = observation(history([entry()], [bought(called: "1")], asOf: day(-0.5)), for: .bob)
        let owner = observation(signed(bought(by: Account.alice.payloadField, called: "1"), entry(), on: -0.2))
        #expect(decide(alone([sent], for: .bob), for: .bob) == .active)
        #expect(decide(alone([sent, owner], for: .bob), for: .bob) == .accountMismatch)
        #expect(decide(alone([sent, owner])) == .active)
    }

    @Test("An account that only showed a redemption has no state of the subscription, even if Apple names one later")
    func redeemedElsewhere() {
        let redeemed = bought(under: .promotional("once"), called: "1")
        let sent = shown(history([entry()], [redeemed], asOf: day(-0.5)), for: .bob)
        let owner = observation(signed(bought(by: Account.alice.payloadField, called: "2"), entry(), on: -0.2))
        #expect(alone([sent, owner], for: .bob) == nil)
        #expect(decide(alone([sent, owner])) == .active)
        let own = observation(signed(bought("5", called: "5"), entry("5"), on: -0.2), for: .bob)
        #expect(decide(alone([sent, owner, own], for: .bob), for: .bob) == .active)
        #expect(decide(alone([sent, owner, own], for: .bob), "once", for: .bob) == .redemptionLimit)
    }

    @Test("State counts up to its age, by the date that Apple gave it; with no limit it always does")
    func age() {
        let state = alone([observation(signed(bought(by: Account.alice.payloadField), entry(), on: -2))])
        #expect(decide(state) == .evidenceStale)
        #expect(decide(state, limit: 2 * 86_400) == .active)
        #expect(decide(state, limit: 0) == .active)
    }

    @Test("A subscription that was to renew since is not taken for one that ended")
    func overdue() {
        let token = Account.alice.payloadField
        let renewing = alone([observation(signed(bought(on: -30, until: -0.1, by: token), entry(), on: -0.5))])
        let ending = alone([
            observation(signed(bought(on: -30, until: -0.1, by: token), entry(renews: false), on: -0.5))
        ])
        let ended = alone([observation(signed(bought(on: -30, until: -0.6, by: token), entry(ended: true), on: -0.5))])
        #expect(decide(renewing, "comeback", limit: 0) == .evidenceStale)
        #expect(decide(renewing, limit: 0) == .active)
        #expect(decide(ending, "comeback", limit: 0) == .lapsed)
        #expect(decide(ended, "comeback", limit: 0) == .lapsed)
    }

    @Test("A customer counts as never subscribed only by a complete history, and only while that counts")
    func neverSubscribed() {
        let whole = observation(history([], [], asOf: day(-0.5)), for: .alice)
        #expect(decide(alone([whole])) == .neverSubscribed)
        #expect(decide(alone([whole]), at: day(1)) == .evidenceStale)
        let part = observation(signed(bought(by: Account.alice.payloadField), entry(), on: -0.5))
        #expect(decide(alone([part]), "extra", product: "news.monthly") == .noEvidence)
        #expect(decide(alone([part, whole]), "extra", product: "news.monthly") == .neverSubscribed)
        let bought = observation(signed(bought(by: Account.alice.payloadField), entry(), on: -0.1))
        #expect(decide(alone([whole, bought])) == .active)
    }

    @Test("An entry that Apple said is gone stays gone until something is bought")
    func noEntry() {
        let gone = observation(history([], [bought(called: "1")], asOf: day(-0.5)), for: .alice)
        #expect(decide(alone([gone])) == .noPendingRenewalInfo)
        let again = observation(signed(bought(on: -0.1, until: 30, called: "2"), on: -0.1), for: .alice)
        #expect(decide(alone([gone, again])) == .active)
    }

    @Test("The Sandbox's state never answers for production")
    func environments() {
        let sandbox = observation(history([entry()], [bought()], from: .sandbox), for: .alice)
        let lapsed = observation(history([entry(ended: true)], [bought(on: -60, until: -30)]), for: .alice)
        #expect(decide(alone([sandbox])) == .active)
        #expect(decide(alone([sandbox, lapsed])) == .lapsed)
        #expect(Book(held: held([sandbox]), of: exampleApp(), for: Account.alice.view) == nil)
    }

    @Test(
        "A refund since the evidence was made counts",
        arguments: [HistoryCoverage.complete, .newestTransactions, .partial]
    )
    func refundSince(coverage: HistoryCoverage) {
        let evidence = history([entry()], [bought(called: "1")], asOf: day(-0.5), coverage: coverage)
        let refund = observation(signed(bought(refunded: -0.2, called: "1"), entry(), on: -0.2))
        let before = observation(signed(bought(refunded: -0.2, called: "1"), entry(), on: -0.7))
        #expect(decide(evidence) == .active)
        #expect(decide(updated(evidence, by: [refund], isApples: false)) == .refunded)
        #expect(decide(updated(evidence, by: [before], isApples: false)) == .active)
    }

    @Test("An offer redeemed since the evidence was made counts, and one redeemed before stays redeemed")
    func redeemedSince() {
        let evidence = history([entry()], [bought(called: "1")], asOf: day(-0.5))
        let redeemed = observation(
            signed(bought(on: -0.2, until: 30, under: .promotional("once"), called: "2"), entry(), on: -0.2)
        )
        #expect(decide(evidence, "once") == .active)
        #expect(decide(updated(evidence, by: [redeemed], isApples: false), "once") == .redemptionLimit)
        let other = observation(
            signed(bought("2", on: -90, until: -60, under: .promotional("once"), called: "9"), on: -60),
            for: .alice
        )
        #expect(decide(updated(evidence, by: [other], isApples: false), "once") == .redemptionLimit)
        let newest = history([entry()], [bought(called: "2")], asOf: clock, coverage: .newestTransactions)
        let older = observation(signed(bought(on: -40, until: -10, under: .promotional("once"), called: "1"), on: -40))
        #expect(decide(updated(newest, by: [older]), "once") == .redemptionLimit)
    }

    @Test("A recorded redemption is counted once, whether the evidence shows it, leaves it out, or has no offer for it")
    func redemptionsOnRecord() {
        let first = bought(on: -90, until: -60, under: .promotional("twice"), called: "1")
        let renewal = bought(on: -60, until: -30, under: .promotional("twice"), called: "2")
        let plain = bought(on: -10, until: 20, called: "3")
        let onRecord = [
            observation(signed(first, on: -90)), observation(signed(renewal, on: -60)),
            observation(signed(plain, on: -10)),
        ]
        func decide(_ offer: String, shown: [Transaction], isApples: Bool = false) -> Reason {
            OffersTests.decide(
                updated(history([entry()], shown, asOf: day(-0.1)), by: onRecord, isApples: isApples),
                offer
            )
        }
        var stripped = [first, renewal]
        for index in stripped.indices { stripped[index].offer = nil }
        for shown in [[first, renewal, plain], [plain], [renewal, plain], stripped + [plain]] {
            #expect(decide("twice", shown: shown) == .active, "\(shown.count)")
            #expect(decide("twice", shown: shown, isApples: true) == .active, "\(shown.count)")
        }
        let again = bought(on: -1, until: 29, under: .promotional("twice"), called: "4")
        #expect(decide("twice", shown: [plain, again]) == .redemptionLimit)
        var once = bought(on: -90, until: -60, under: .promotional("once"), called: "1")
        let record = [observation(signed(once, on: -90)), observation(signed(plain, on: -10))]
        once.offer = nil
        for shown in [[plain], [once, plain]] {
            let evidence = history([entry()], shown, asOf: day(-0.1))
            #expect(OffersTests.decide(evidence, "once") == .active)
            #expect(OffersTests.decide(updated(evidence, by: record, isApples: false), "once") == .redemptionLimit)
        }
    }

    @Test("A redemption stays on record when newer answers no longer name the offer, however often one asks")
    func offerTakenOff() throws {
        var once = bought(on: -90, until: -60, under: .promotional("once"), called: "1")
        let plain = bought(on: -10, until: 20, called: "2")
        let observed = shown(history([entry()], [once, plain], asOf: day(-1)))
        once.offer = nil
        let stripped = history([entry()], [once, plain], asOf: day(-0.5))
        let again = history([entry()], [once, plain], asOf: day(-0.1))
        for observations in [[observed, shown(stripped)], [shown(stripped), observed]] {
            #expect(decide(updated(again, by: observations, isApples: false), "once") == .redemptionLimit)
        }
        // What a client says of the offer is not put over what Apple says of the transaction.
        let apples = [observed, observation(signed(once, on: -0.5)), observation(signed(plain, on: -0.5))]
        #expect(held(apples).chapters.first?.redemptions.isEmpty == true)
    }

    @Test("An old signed transaction does not hide a purchase that came after it")
    func replayed() {
        let old = signed(bought(on: -60, until: -30, called: "1"), on: -0.1)
        let current = observation(signed(bought(on: -10, until: 20, called: "2"), entry(), on: -0.4))
        #expect(decide(old, "comeback") == .lapsed)
        #expect(decide(updated(old, by: [current]), "comeback") == .stateNotInAudience)
    }

    @Test("Auto-renew turned off since, and a subscription begun since, count")
    func changedSince() {
        let evidence = history([entry()], [bought(called: "1")], asOf: day(-0.5))
        let off = observation(signed(bought(called: "1"), entry(renews: false), on: -0.2))
        #expect(decide(updated(evidence, by: [off], isApples: false), "stay") == .activeAutoRenewOff)
        let lapsed = history([entry(ended: true)], [bought(on: -60, until: -30, called: "1")], asOf: day(-0.5))
        let begun = observation(
            signed(bought("2", on: -0.2, until: 30, by: Account.alice.payloadField), entry("2"), on: -0.2)
        )
        #expect(decide(lapsed, "comeback") == .lapsed)
        #expect(decide(updated(lapsed, by: [begun], isApples: false), "comeback") == .stateNotInAudience)
    }

    @Test("Old evidence is not stale where newer held state covers the subscription")
    func freshened() {
        let evidence = history([entry()], [bought(called: "1")], asOf: day(-3))
        let renewed = observation(signed(bought(called: "1"), entry(), on: -0.2))
        #expect(decide(evidence) == .evidenceStale)
        #expect(decide(updated(evidence, by: [renewed], isApples: false)) == .active)
        let other = observation(
            signed(bought("5", "news.monthly", called: "5"), entry("5", "news.monthly"), on: -0.2),
            for: .alice
        )
        #expect(decide(updated(evidence, by: [other], isApples: false)) == .evidenceStale)
    }

    @Test("A history names each of its subscriptions once, and the same sixteen of many in any order")
    func named() {
        func named(_ transactions: [Int], _ entries: [Int]) -> Set<String> {
            let history = history(entries.map { entry("\($0)") }, transactions.map { bought("\($0)") })
            let ids = history.book.namedSubscriptions.map(\.originalTransactionId)
            #expect(Set(ids).count == ids.count)
            return Set(ids)
        }
        #expect(named([], []).isEmpty)
        #expect(named([1, 2, 1, 3], [3, 4, 4]) == ["1", "2", "3", "4"])
        #expect(named(Array(10...20), Array(15...25)) == Set((10...25).map(String.init)))
        let ofMany = named(Array(10...40), Array(30...60))
        #expect(ofMany.count == 16)
        #expect(named((10...40).reversed(), (30...60).reversed()) == ofMany)
        #expect(named(Array(30...60), Array(10...40)) == ofMany)
    }
}

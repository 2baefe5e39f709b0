import Testing

@testable import Offers

@Suite("Held state of subscriptions with several identifiers, of others of the account, and of other owners")
struct HeldLinkTests {
    private func after(_ id: String, _ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.previousOriginalTransactionId = id
        return transaction
    }

    private var first: Shown {
        signed(
            bought("1", on: -90, until: -60, under: .promotional("once"), called: "10"),
            entry("1", ended: true),
            on: -0.5
        )
    }

    private var second: Shown { signed(after("1", bought("2", called: "20")), entry("2", renews: false), on: -0.4) }

    @Test("Evidence of either identifier is decided by both, whichever came first")
    func bothOrders() {
        for (known, evidence) in [(first, second), (second, first)] {
            let history = evidence.joined(with: held([observation(known)]), for: Account.none.view)
            #expect(decide(history, "once") == .redemptionLimit)
            #expect(decide(history, "stay") == .activeAutoRenewOff)
            #expect(decide(history, "comeback") == .stateNotInAudience)
        }
    }

    @Test(
        "What names both identifiers at once is found by either, in either order",
        arguments: [Transaction.Kind.subscription, .bundle]
    )
    func bothAtOnce(kind: Transaction.Kind) {
        let earlier = bought("1", on: -90, until: -60, called: "10")
        var later = after("1", bought("2", called: "20"))
        later.kind = kind
        for rows in [[earlier, later], [later, earlier]] {
            let both = observation(history([], rows, asOf: day(-0.5), coverage: .partial), for: .bob)
            let linked = both.chapters.map { ($0.identity.originalTransactionId, $0.linked) }
            #expect(Dictionary(linked) { first, _ in first } == ["1": ["2"], "2": ["1"]])
        }
    }

    @Test("Where an answer has an entry for the earlier identifier alone, nobody knows whether the subscription renews")
    func entryOfEarlier() {
        for renews in [true, false] {
            let rows = [bought("1", on: -90, until: -60, called: "10"), bought("2", called: "20")]
            let answer = observation(history([entry("1", renews: renews)], rows, asOf: day(-0.5)), for: .alice)
            let evidence = signed(after("1", bought("2", called: "20")), on: -0.9)
            #expect(decide(updated(evidence, by: [answer])) == .active)
            #expect(decide(updated(evidence, by: [answer]), "stay") == .stateNotInAudience)
            #expect(decide(updated(evidence, by: [answer]), "upgrade", product: "pro.yearly") == .stateNotInAudience)
        }
        let rows = [bought("1", on: -90, until: -60, called: "10"), bought("2", called: "20")]
        let taken = observation(history([entry("1", nextOffer: "once")], rows, asOf: day(-0.5)), for: .alice)
        let evidence = signed(after("1", bought("2", called: "20")), on: -0.9)
        #expect(decide(updated(evidence, by: [taken]), "once") == .redemptionLimit)
    }

    @Test("Evidence asks for what is held under the identifier that it names as the earlier one")
    func asksForEarlier() {
        #expect(Set(second.book.namedSubscriptions.map(\.originalTransactionId)) == ["1", "2"])
    }

    @Test("A call of Apple's about either identifier is answered by what is held of both")
    func calls() {
        let state = held([observation(first), observation(second)])
        for id in ["1", "2"] {
            let subscription = identity(id)
            let history = RetentionCustomer(subscription, in: state, of: exampleApp()).book
            #expect(decide(history, "once") == .redemptionLimit, "\(id)")
            #expect(decide(history, "stay") == .activeAutoRenewOff, "\(id)")
        }
    }

    @Test("A redemption that a client showed keeps Apple's number of the purchase")
    func shownNumber() {
        var purchase = bought("1", on: -90, until: -60, under: .promotional("once"), called: "10")
        purchase.webOrderLineItemId = "31"
        let seen = shown(history([entry("1", ended: true)], [purchase]), for: .alice)
        #expect(seen.chapters.flatMap(\.redemptions).map(\.webOrderLineItemId) == ["31"])
    }

    @Test("The last time that the App Store itself spoke of a subscription stays, and is news after an hour")
    func confirmed() {
        let identity = OffersTests.identity("1")
        func value(_ confirmed: Timestamp?) -> Chapter { Chapter(identity, confirmed: confirmed) }
        for order in [[nil, day(-2), day(-1)], [day(-1), nil, day(-2)], [day(-2), day(-1), nil]] {
            var merged = value(order[0])
            for other in order.dropFirst() { merged.join(value(other)) }
            #expect(merged.confirmed == day(-1))
        }
        let later = { (seconds: Int64) in value(day(-1).adding(seconds: seconds)) }
        #expect(later(3600).isNoNews(after: value(day(-1))))
        #expect(!later(3601).isNoNews(after: value(day(-1))))
        #expect(!value(day(-1)).isNoNews(after: value(nil)))
        #expect(value(nil).isNoNews(after: value(day(-1))))
    }

    @Test("A subscription of the account counts beside evidence of another one, also where it was held before")
    func othersOfTheAccount() {
        var grace = entry("5")
        grace.gracePeriodExpiresDate = day(3)
        let token = Account.alice.payloadField
        let inGrace = observation(
            signed(bought("5", on: -40, until: -2, by: token, called: "50"), grace, on: -0.6),
            for: .alice
        )
        let refunded = bought("6", refunded: -1, by: token, called: "60")
        for evidence in [
            signed(refunded, entry("6"), on: -0.9), signed(refunded, entry("6"), on: -0.1),
            history([entry("6")], [refunded], coverage: .newestTransactions), history([entry("6")], [refunded]),
        ] {
            let both = evidence.joined(with: held([inGrace]), for: Account.alice.view)
            #expect(decide(both, "anyone", for: .alice) == .gracePeriod)
            #expect(decide(both, "forgive-lapsed", for: .alice) == .stateNotInAudience)
            // Too old to count, it can only refuse.
            let old = evidence.joined(with: held([inGrace]), for: Account.alice.view)
            #expect(decide(old, "anyone", for: .alice, since: day(-0.55)) != .gracePeriod)
            #expect(decide(old, "forgive-lapsed", for: .alice, since: day(-0.55)) != .lapsed)
        }
    }

    @Test("What is held and too old makes nobody eligible, and takes nothing from evidence that does so by itself")
    func overAge() {
        let token = Account.alice.payloadField
        let old = observation(
            signed(bought("5", on: -40, until: -10, by: token, called: "50"), entry("5", ended: true), on: -5),
            for: .alice
        )
        let lapsed = history([entry("6", ended: true)], [bought("6", on: -100, until: -70, by: token)])
        let both = lapsed.joined(with: held([old]), for: Account.alice.view)
        #expect(decide(both, "comeback", for: .alice) == .lapsed)
        // By the newer end of what is too old, the customer would not have been away for too long.
        #expect(decide(both, "30-to-60", for: .alice) != .lapsed)
        let news = history([entry("7", "news.monthly")], [bought("7", "news.monthly", by: token)])
        let alone = news.joined(with: held([old]), for: Account.alice.view)
        #expect(decide(alone, "comeback", for: .alice) == .evidenceStale)
    }

    @Test(
        "What version 0.2.0 held of a subscription that began since seats exist has an unknown owner until Apple speaks"
    )
    func earlierVersion() throws {
        func read(_ transaction: Transaction) throws -> Chapter {
            let seen = try #require(held([observation(signed(transaction, entry(), on: -0.5))]).chapters.first)
            var bytes = seen.bytes
            bytes[0] = 1
            return try Chapter(seen.identity, bytes: bytes)
        }
        let since = try read(bought(on: -10, called: "1"))
        #expect(since["1"]?.ownership == .unknown(nil))
        // The clock of these tests is in November 2026.
        #expect(try read(bought(on: -100, until: 3, called: "1"))["1"]?.ownership == .purchased)
        #expect(try read(bought(shared: true, called: "1"))["1"]?.ownership == .familyShared)
        var again = since
        again.join(
            try #require(held([observation(signed(bought(on: -10, called: "1"), entry(), on: -0.5))]).chapters.first)
        )
        #expect(again["1"]?.ownership == .purchased)
        #expect(!again.isNoNews(after: since))
    }

    @Test("Of two equally new copies the one with another owner counts, in either order")
    func owners() throws {
        let (own, seat) = (signed(bought(called: "1"), on: -1), signed(bought(owner: .assigned, called: "1"), on: -1))
        for order in [[own, seat], [seat, own]] {
            let state = held(order.map { observation($0) })
            #expect(state.chapters.first?["1"]?.ownership == .assigned)
        }
    }
}

import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Subscriptions as time passes")
struct StoreSubscriptionTests {
    /// A subscription in a state, some days later.
    private func later(
        _ state: String,
        _ days: Int64,
        app settings: String = ""
    ) throws -> (subscription: StoreSubscription, events: [StoreEvent]) {
        var world = try TestStore.world(state: state, app: settings)
        var subscription = try world.subscription()
        let events = world.advance(&subscription, days: days)
        return (subscription, events)
    }

    private func payment(_ product: StoreProduct, _ offer: StoreOffer? = nil, at start: Timestamp) -> Payment {
        Payment(product: product, plan: .billedUpfront, offer: offer, start: start, account: nil)
    }

    @Test(
        "Each description has Apple's status, and renews or not",
        arguments: [
            ("active", 1, true), ("activeAutoRenewOff", 1, false), ("gracePeriod", 4, true), ("billingRetry", 3, true),
            ("lapsed", 2, false), ("refunded", 5, false), ("familyShared", 1, true), ("familyRevoked", 5, false),
            ("upgraded, upgradedTo: yearly", 1, true), ("assigned", 1, true), ("assignmentRevoked", 5, false),
        ] as [(String, Int64, Bool)]
    )
    func described(state: String, status: Int64, renews: Bool) throws {
        let subscription = try later(state, 0).subscription
        #expect(subscription.status == status)
        #expect(subscription.willAutoRenew == renews)
        #expect(subscription.earlier.contains(where: \.isUpgraded) == state.hasPrefix("upgraded"))
    }

    @Test("An active one renews each month, without a gap")
    func renews() throws {
        let (subscription, events) = try later("active", 100)
        #expect(events.map(\.kind) == [.didRenew, .didRenew, .didRenew])
        #expect(subscription.status == 1)
        for (before, after) in zip(subscription.transactions, subscription.transactions.dropFirst()) {
            #expect(before.expiresDate == after.purchaseDate)
            #expect(after.reason == .renewal)
        }
        #expect(Set(subscription.transactions.map(\.transactionId)).count == subscription.transactions.count)
        #expect(Set(subscription.transactions.map(\.originalTransactionId)).count == 1)
    }

    @Test("With auto-renew off it ends with the period, once")
    func endsOnce() throws {
        let (subscription, events) = try later("activeAutoRenewOff", 100)
        #expect(events.map(\.kind) == [.expired])
        #expect(events.first?.subtype == .voluntary)
        #expect(events.first?.date == subscription.latest.expiresDate)
        #expect(subscription.status == 2)
        #expect(subscription.expirationIntent == 1)
    }

    @Test("A payment that fails leads through grace, where there is one, and billing retry to the end")
    func fails() throws {
        #expect(try later("gracePeriod", 13).subscription.status == 4)
        let grace = try later("gracePeriod", 15)
        #expect(grace.subscription.status == 3)
        #expect(grace.events.map(\.kind) == [.gracePeriodExpired])
        let (subscription, events) = try later("gracePeriod", 59)
        #expect(events.map(\.subtype) == [nil, .billingRetry])
        #expect(subscription.status == 2)
        #expect(subscription.expirationIntent == 2)
        #expect(!subscription.willAutoRenew)
        #expect(try later("billingRetry", 0, app: "gracePeriodDays: 0").subscription.status == 3)
    }

    @Test("An ended subscription stays ended", arguments: ["lapsed", "refunded", "familyRevoked"])
    func staysEnded(state: String) throws {
        #expect(try later(state, 1000).events.isEmpty)
    }

    @Test("A pay-as-you-go offer covers its payments, and then the full price is back")
    func offer() throws {
        var world = try TestStore.world(state: "active")
        var subscription = try world.subscription()
        let product = try #require(world.app.product("monthly"))
        let now = world.clock.now
        let (kind, _) = subscription.buy(
            payment(product, product.offer("half"), at: now),
            insteadOf: product,
            numbers: &world.numbers
        )
        #expect(kind == .offerRedeemed)
        #expect(subscription.latest.offer == nil)
        #expect(subscription.offerInUse?.offer.id == "half")
        _ = world.advance(&subscription, days: 100)
        let latest = subscription.transactions.suffix(3)
        #expect(latest.map { $0.offer?.id } == ["half", "half", nil])
        #expect(latest.map(\.price) == [4990, 4990, 9990])
        #expect(subscription.offerInUse == nil)
    }

    @Test("A retention offer begins with the next payment, and keeps the customer")
    func retention() throws {
        var world = try TestStore.world(state: "activeAutoRenewOff")
        let id = try world.subscription().originalTransactionId
        let (customer, events) = try world.redeemRetentionOffer("keep", for: id)
        #expect(events.map(\.kind) == [.offerRedeemed])
        var subscription = try #require(customer.subscriptions.first)
        #expect(subscription.willAutoRenew)
        #expect(subscription.latest.offer == nil)
        _ = world.advance(&subscription, days: 100)
        #expect(subscription.transactions.suffix(3).map { $0.offer?.kind.rawValue } == [5, 5, nil])
        #expect(throws: RequestFault.self) { try world.redeemRetentionOffer("half", for: id) }
    }

    @Test("A period ends at the moment that the description says, at the end of a month too")
    func ends() throws {
        let world = try TestStore.world(
            "[{ name: c, subscriptions: [{ product: monthly, state: active, expiresAt: 2026-01-31T09:00:00Z, periods: 3 }] }]",
            clock: TestStore.now
        )
        let ends = try #require(world.customer("c")).transactions.map(\.expiresDate.rfc3339)
        #expect(ends == ["2026-01-31T09:00:00Z", "2025-12-31T09:00:00Z", "2025-11-30T09:00:00Z"])
    }

    @Test("A higher level begins at once, a lower one at the next billing")
    func levels() throws {
        var world = try TestStore.world(state: "active")
        let (monthly, yearly) = (try #require(world.app.product("monthly")), try #require(world.app.product("yearly")))
        let now = world.clock.now
        var subscription = try world.subscription()
        let up = subscription.buy(
            payment(yearly, yearly.offer("year"), at: now),
            insteadOf: monthly,
            numbers: &world.numbers
        )
        #expect(up == (.offerRedeemed, .upgrade))
        #expect(subscription.latest.productId == "yearly")
        #expect(subscription.latest.offer?.id == "year")
        #expect(subscription.earlier.last?.isUpgraded == true)
        let down = subscription.buy(payment(monthly, at: now), insteadOf: yearly, numbers: &world.numbers)
        #expect(down == (.didChangeRenewalPreference, .downgrade))
        #expect(subscription.latest.productId == "yearly")
        #expect(subscription.autoRenewProductId == "monthly")
    }

    @Test("A free trial lasts its week, in app-store.yaml and in a purchase", arguments: ["now", "before", "new"])
    func trial(name: String) throws {
        let store = try TestStore.store(
            try TestStore.world(
                """
                [{ name: now, subscriptions: [{ product: monthly, state: active, periods: 1, introductory: true }] },
                 { name: before, subscriptions: [{ product: monthly, state: lapsed, periods: 3, introductory: true }] },
                 { name: new }]
                """
            )
        )
        if name == "new" { _ = try store.change { try $0.buy(["customer": "new"]) } }
        let periods = try #require(store.current().customer(name)).transactions
        let lengths = periods.map {
            ($0.expiresDate.millisecondsSince1970 - $0.purchaseDate.millisecondsSince1970) / 86_400_000
        }
        #expect(lengths.last == 7)
        #expect(lengths.dropLast().allSatisfy { $0 > 27 })
        #expect(periods.count == (name == "before" ? 3 : 1))
        #expect(zip(periods, periods.dropFirst()).allSatisfy { $0.purchaseDate == $1.expiresDate })
        #expect((periods[0].expiresDate > store.current().clock.now) == (name != "before"))
        let evidence = try Evidence(of: name, in: store)
        #expect(evidence.history.first?["offerDiscountType"] as? String == "FREE_TRIAL")
        #expect(evidence.history.first?["offerPeriod"] as? String == "P1W")
        #expect(evidence.rows.last?["is_trial_period"] == "true")
        #expect(evidence.rows.dropLast().allSatisfy { $0["is_trial_period"] == "false" })
    }

    @Test("A trial of somebody else's subscription is not the customer's", arguments: ["familyShared", "assigned"])
    func trialOfAnother(state: String) throws {
        var world = try TestStore.world(state: state, more: ", introductory: true")
        let purchase = try world.buy()
        #expect(purchase.subscription.latest.offer?.kind == .introductory)
        #expect(purchase.customer.subscriptions.count == 2)
        #expect(purchase.event.subtype == .initialBuy)
    }
}

import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Subscriptions as time passes")
struct StoreSubscriptionTests {
    private static let day: Int64 = 86400

    /// A subscription in a state, some days later.
    private func later(
        _ state: String,
        _ days: Int64,
        app settings: String = ""
    ) throws -> (subscription: StoreSubscription, events: [StoreEvent]) {
        var world = try TestStore.world(state: state, app: settings)
        let app = try #require(world.app("com.example.app"))
        var subscription = try #require(world.customer("c")?.subscriptions.first)
        let events = subscription.advance(
            to: world.clock.now.adding(seconds: days * Self.day),
            in: app,
            numbers: &world.numbers
        )
        return (subscription, events)
    }

    private func payment(_ product: StoreProduct, _ offer: StoreOffer? = nil, at start: Timestamp) -> Payment {
        Payment(product: product, plan: .billedUpfront, offer: offer, start: start, account: nil)
    }

    @Test(
        "Each description has Apple's status",
        arguments: [
            ("active", 1), ("activeAutoRenewOff", 1), ("gracePeriod", 4), ("billingRetry", 3), ("lapsed", 2),
            ("refunded", 5), ("familyShared", 1), ("familyRevoked", 5), ("upgraded, upgradedTo: yearly", 1),
            ("assigned", 1), ("assignmentRevoked", 5),
        ] as [(String, Int64)]
    )
    func described(state: String, status: Int64) throws {
        let subscription = try later(state, 0).subscription
        #expect(subscription.status == status)
        #expect(
            subscription.willAutoRenew
                == !["activeAutoRenewOff", "lapsed", "refunded", "familyRevoked", "assignmentRevoked"].contains(state)
        )
        let other: AppStoreSimulator.Ownership? =
            state.hasPrefix("family") ? .familyShared : state.hasPrefix("assign") ? .assigned : nil
        #expect(subscription.latest.ownership == other ?? .purchased)
        #expect(
            subscription.latest.revocation?.type
                == [
                    "refunded": "REFUND_FULL", "familyRevoked": "FAMILY_REVOKE",
                    "assignmentRevoked": "ASSIGNMENT_REVOKE",
                ][state]
        )
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

    @Test("A payment that fails leads through grace and billing retry to the end")
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
    }

    @Test("Without a grace period, billing retry comes at once")
    func noGrace() throws {
        #expect(try later("billingRetry", 0, app: "gracePeriodDays: 0").subscription.status == 3)
    }

    @Test("An ended subscription stays ended", arguments: ["lapsed", "refunded", "familyRevoked"])
    func staysEnded(state: String) throws {
        #expect(try later(state, 1000).events.isEmpty)
    }

    @Test("A pay-as-you-go offer covers its payments, and then the full price is back")
    func offer() throws {
        var world = try TestStore.world(state: "active")
        let app = try #require(world.app("com.example.app"))
        var subscription = try #require(world.customer("c")?.subscriptions.first)
        let product = try #require(app.product("monthly"))
        let now = world.clock.now
        let (kind, _) = subscription.buy(
            payment(product, product.offer("half"), at: now),
            insteadOf: product,
            numbers: &world.numbers
        )
        #expect(kind == .offerRedeemed)
        #expect(subscription.latest.offer == nil)
        #expect(subscription.offerInUse?.offer.id == "half")
        _ = subscription.advance(to: now.adding(seconds: 100 * Self.day), in: app, numbers: &world.numbers)
        let latest = subscription.transactions.suffix(3)
        #expect(latest.map { $0.offer?.id } == ["half", "half", nil])
        #expect(latest.map(\.price) == [4990, 4990, 9990])
        #expect(subscription.offerInUse == nil)
    }

    @Test("A retention offer begins with the next payment, and keeps the customer")
    func retention() throws {
        var world = try TestStore.world(state: "activeAutoRenewOff")
        let app = try #require(world.app("com.example.app"))
        let id = try #require(world.customer("c")?.subscriptions.first?.originalTransactionId)
        let (customer, events) = try world.redeemRetentionOffer("keep", for: id)
        #expect(events.map(\.kind) == [.offerRedeemed])
        var subscription = try #require(customer.subscriptions.first)
        #expect(subscription.willAutoRenew)
        #expect(subscription.latest.offer == nil)
        let later = world.clock.now.adding(seconds: 100 * Self.day)
        _ = subscription.advance(to: later, in: app, numbers: &world.numbers)
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
        let app = try #require(world.app("com.example.app"))
        let (monthly, yearly) = (try #require(app.product("monthly")), try #require(app.product("yearly")))
        let now = world.clock.now
        var subscription = try #require(world.customer("c")?.subscriptions.first)
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
}

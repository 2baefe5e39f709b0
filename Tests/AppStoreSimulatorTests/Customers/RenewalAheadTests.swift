import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Renewals that are charged before the period begins")
struct RenewalAheadTests {
    private static let setting = "renewsAheadHours: 24"

    /// A customer whose period ends in some hours.
    private func world(_ more: String = "", hours: Int = 10) throws -> AppStoreWorld {
        try TestStore.world(state: "active", more: ", expiresInHours: \(hours)\(more)", app: Self.setting)
    }

    /// The subscription at the time of the clock, moved by some hours.
    private func advanced(_ world: inout AppStoreWorld, hours: Int64) throws -> StoreSubscription {
        let isMoved = world.clock.set(to: world.clock.now.adding(seconds: hours * 3600))
        #expect(isMoved)
        world.advance(signer: try TestStore.signing())
        return try world.subscription()
    }

    private func change(_ world: inout AppStoreWorld, willAutoRenew: Bool? = nil, paymentFails: Bool? = nil) throws {
        let id = try world.subscription().originalTransactionId
        let change = try world.change(id, willAutoRenew: willAutoRenew, paymentFails: paymentFails)
        world.notify(change, try TestStore.signing())
    }

    @Test("A day before the end the next period is there, everywhere, and DID_RENEW is signed before it begins")
    func everywhere() throws {
        var world = try world(hours: 30)
        #expect(try world.subscription().earlier.count == 1)
        let subscription = try advanced(&world, hours: 10)
        let (begins, now) = (subscription.latest.purchaseDate.millisecondsSince1970, world.clock.now)
        #expect(begins > now.millisecondsSince1970 && subscription.latest.reason == .renewal)
        let notification = try #require(world.notifications.last)
        #expect(notification.kind == .didRenew && notification.date.millisecondsSince1970 == begins - 86_400_000)
        let evidence = try Evidence(of: "c", in: TestStore.store(world))
        let status = try #require(evidence.statuses.last)
        #expect(status.status == 1)
        for transaction in [status.transaction, try #require(evidence.history.last)] {
            #expect(transaction["purchaseDate"] as? Int64 == begins)
            #expect((transaction["signedDate"] as? Int64).map { $0 < begins } == true)
        }
        #expect(status.renewal["renewalDate"] as? Int64 == status.transaction["expiresDate"] as? Int64)
        #expect((status.renewal["recentSubscriptionStartDate"] as? Int64).map { $0 < begins } == true)
        #expect(evidence.rows.first?["purchase_date_ms"] == String(begins))
    }

    @Test("Each period is charged once, and without the setting when it begins")
    func once() throws {
        var world = try world()
        #expect(try world.subscription().earlier.count == 2)
        #expect(try advanced(&world, hours: 24 * 45).earlier.count == 3)
        #expect(world.notifications.map(\.kind) == [.didRenew])
        var plain = try TestStore.world(state: "active", more: ", expiresInHours: 10")
        #expect(try plain.subscription().earlier.count == 1)
        let renewed = try advanced(&plain, hours: 11)
        #expect(plain.notifications.first?.date == renewed.latest.purchaseDate)
    }

    @Test("A day that follows another is not charged before that one begins")
    func shortPeriods() throws {
        let world = try TestStore.world(
            "[{ name: c, subscriptions: [{ product: daily, state: active, expiresInHours: 10 }] }]",
            app: Self.setting,
            products: "{ id: daily, period: P1D }"
        )
        let subscription = try world.subscription()
        #expect(subscription.latest.purchaseDate > world.clock.now)
        #expect(subscription.earlier.last?.expiresDate == subscription.latest.purchaseDate)
        #expect(subscription.nextChange(in: world.app) == subscription.latest.purchaseDate)
    }

    @Test("With auto-renew off, or a payment that fails, nothing is charged ahead; once it can be, it is at once")
    func later() throws {
        var world = try world(hours: 30)
        try change(&world, willAutoRenew: false)
        #expect(try advanced(&world, hours: 20).earlier.count == 1)
        let now = world.clock.now
        try change(&world, willAutoRenew: true)
        #expect(try advanced(&world, hours: 1).earlier.count == 2)
        let last = try #require(world.notifications.last)
        #expect(last.kind == .didRenew && last.date >= now && last.date < now.adding(seconds: 60))
        var failing = try self.world(hours: 30)
        try change(&failing, paymentFails: true)
        #expect(try advanced(&failing, hours: 29).earlier.count == 1)
        #expect(try advanced(&failing, hours: 2).status == 4)
    }

    @Test("Auto-renew that is switched off in those hours ends the period that was paid ahead")
    func off() throws {
        var world = try world()
        try change(&world, willAutoRenew: false)
        let end = try world.subscription().latest.expiresDate
        #expect(try world.subscription().latest.purchaseDate > world.clock.now)
        #expect(try advanced(&world, hours: 24 * 40).status == 2)
        #expect(world.notifications.map(\.kind) == [.didChangeRenewalStatus, .expired])
        #expect(world.notifications.last?.date == end)
    }

    @Test("A refund in those hours leaves the period that runs, to its end")
    func refunded() throws {
        var world = try world()
        let ahead = try world.subscription().latest
        let event = try #require(try world.revoke(ahead.transactionId, .refund(percentage: 100_000)).events.first)
        #expect(event.kind == .refund && event.transaction?.transactionId == ahead.transactionId)
        let subscription = try world.subscription()
        #expect(subscription.status == 1 && !subscription.willAutoRenew)
        #expect(subscription.shown.expiresDate == ahead.purchaseDate)
        #expect(subscription.transactions.count == 3)
        #expect(try advanced(&world, hours: 11).status == 2)
    }

    @Test("A higher level in those hours begins at once, in place of the period that runs and of the one ahead")
    func upgraded() throws {
        var world = try world()
        _ = try world.buy(["productId": "yearly"])
        let subscription = try world.subscription()
        #expect(subscription.latest.purchaseDate <= world.clock.now)
        #expect(subscription.earlier.map(\.isUpgraded) == [false, true, true])
    }

    @Test("Who moves to another original transaction in those hours keeps neither period", arguments: IdChange.allCases)
    func moved(change: IdChange) throws {
        let world = try world(", idChange: \(change.rawValue)")
        let old = try world.subscription()
        #expect(
            old.hasEnded && old.transactions.allSatisfy { $0.revocation != nil || $0.expiresDate <= world.clock.now }
        )
        #expect(old.transactions.contains { $0.purchaseDate > world.clock.now })
        let next = try #require(world.customer("c")?.subscriptions.last)
        #expect(next.hasAccess && next.originalTransactionId != old.originalTransactionId)
    }
}

import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Monthly payments with a 12-month commitment")
struct CommitmentTests {
    /// The members of a renewal info and of its commitment.
    private func renewal(
        _ subscription: StoreSubscription,
        _ world: AppStoreWorld
    ) throws -> (info: [String: Any], commitment: [String: Any]) {
        let payloads = Payloads(world.app, try #require(world.customer("c")), signedDate: TestStore.now)
        let info = try JSON.object(payloads.renewal(subscription))
        return (info, try #require(info["commitmentInfo"] as? [String: Any]))
    }

    @Test("Each payment is for a month, and counts to twelve before the next commitment begins")
    func renews() throws {
        var world = try TestStore.commitment(periods: 11)
        var subscription = try world.subscription()
        let end = try #require(subscription.latest.commitment).expires
        let events = world.advance(&subscription, days: 70)
        #expect(events.map(\.kind) == [.didRenew, .didRenew])
        let latest = subscription.transactions.suffix(3)
        #expect(latest.map { $0.commitment?.number } == [11, 12, 1])
        #expect(latest.map(\.price) == [9000, 9000, 9000])
        #expect(latest.map { $0.commitment?.price } == [108_000, 108_000, 108_000])
        #expect(latest.prefix(2).map { $0.commitment?.expires } == [end, end])
        #expect(subscription.earlier.last?.expiresDate == end)
        #expect(subscription.latest.purchaseDate == end)
    }

    @Test("A cancelled one is paid to its last month, says so, and expires then")
    func cancelled() throws {
        var world = try TestStore.commitment("activeAutoRenewOff", periods: 10)
        var subscription = try world.subscription()
        let cancelled = try renewal(subscription, world)
        #expect(cancelled.info["autoRenewStatus"] as? Int == 1)
        #expect(cancelled.commitment["commitmentAutoRenewStatus"] as? Int == 0)
        let events = world.advance(&subscription, days: 200)
        #expect(events.map(\.kind) == [.didRenew, .didRenew, .expired])
        #expect(events.last?.subtype == .voluntary)
        #expect(subscription.latest.commitment?.number == 12)
        #expect(subscription.expirationIntent == 1)
        let last = try #require(events.dropLast().last?.subscription)
        #expect(try renewal(last, world).info["autoRenewStatus"] as? Int == 0)
        #expect(try renewal(subscription, world).info["autoRenewStatus"] as? Int == 0)
    }

    @Test("A failed payment has no grace period, and is tried again for 90 days")
    func fails() throws {
        var world = try TestStore.commitment(periods: 5)
        var subscription = try world.subscription()
        subscription.paymentFails = true
        // The month ends in about 15 days.
        let failed = world.advance(&subscription, days: 17)
        #expect(failed.map(\.kind) == [.didFailToRenew])
        #expect(failed.map(\.subtype) == [nil])
        #expect(subscription.status == 3)
        #expect(try renewal(subscription, world).info["autoRenewStatus"] as? Int == 1)
        #expect(world.advance(&subscription, days: 103).isEmpty)
        let events = world.advance(&subscription, days: 107)
        #expect(events.map(\.subtype) == [.billingRetry])
        #expect(subscription.expirationIntent == 2)
        #expect(!subscription.renewsNextPeriod)
    }

    @Test("A payment that is made late moves the end of the commitment")
    func late() throws {
        var world = try TestStore.commitment("billingRetry", periods: 5)
        let old = try world.subscription()
        let (_, events) = try world.change(old.originalTransactionId, willAutoRenew: nil, paymentFails: false)
        #expect(events.map(\.subtype) == [.billingRecovery])
        let new = try world.subscription().latest
        #expect(new.commitment?.number == 6)
        #expect(new.commitment?.expires == SubscriptionPeriod.month.after(new.expiresDate, times: 6))
        #expect(try #require(new.commitment).expires > #require(old.latest.commitment).expires)
    }

    @Test("A lower level waits for the end of the commitment, and so does an offer on it")
    func downgrade() throws {
        var world = try TestStore.commitment(periods: 11)
        let monthly = try #require(world.app.product("monthly"))
        var subscription = try world.subscription()
        let payment = Payment(
            product: monthly,
            plan: .billedUpfront,
            offer: monthly.offer("half"),
            start: world.clock.now,
            account: nil
        )
        let bought = subscription.buy(payment, insteadOf: world.app.product("yearly"), numbers: &world.numbers)
        #expect(bought == (.offerRedeemed, .downgrade))
        let (info, commitment) = try renewal(subscription, world)
        #expect(info["autoRenewProductId"] as? String == "yearly")
        #expect(info["renewalBillingPlanType"] as? String == "MONTHLY")
        #expect(info["renewalPrice"] as? Int == 9000)
        #expect(info["offerIdentifier"] == nil)
        #expect(commitment["commitmentAutoRenewProductId"] as? String == "monthly")
        #expect(commitment["commitmentRenewalBillingPlanType"] as? String == "BILLED_UPFRONT")
        _ = world.advance(&subscription, days: 70)
        let latest = subscription.transactions.suffix(2)
        #expect(latest.map(\.productId) == ["yearly", "monthly"])
        #expect(latest.map { $0.offer?.id } == [nil, "half"])
        #expect(latest.map(\.plan) == [.monthly, .billedUpfront])
    }

    @Test("It is bought with its billing plan, at an offer of that plan alone")
    func buys() throws {
        var world = try TestStore.world(state: "lapsed")
        func purchase(at offer: String) throws -> [String: Any] {
            let now = world.clock.now.millisecondsSince1970
            let discount = try TestStore.discount(product: "yearly", offer: offer, timestamp: now)
            return ["productId": "yearly", "billingPlanType": "MONTHLY", "discount": discount]
        }
        #expect(try world.verdict(try purchase(at: "year")) == 11)
        let latest = try world.buy(try purchase(at: "months")).subscription.latest
        #expect(latest.commitment?.number == 1)
        #expect(latest.price == 5000)
        #expect(latest.expiresDate == SubscriptionPeriod.month.after(latest.purchaseDate))
    }
}

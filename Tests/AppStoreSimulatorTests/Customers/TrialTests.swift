import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Trials and other introductory offers")
struct TrialTests {
    private static let week: Int64 = 7 * 86_400_000

    private func milliseconds(_ transaction: StoreTransaction) -> Int64 {
        transaction.expiresDate.millisecondsSince1970 - transaction.purchaseDate.millisecondsSince1970
    }

    @Test("A free trial of a week lasts a week, in app-store.yaml and in a purchase")
    func week() throws {
        let store = try TestStore.store(
            try TestStore.world(
                """
                [{ name: now, subscriptions: [{ product: monthly, state: active, periods: 1, introductory: true }] },
                 { name: before, subscriptions: [{ product: monthly, state: lapsed, periods: 3, introductory: true }] },
                 { name: new }]
                """
            )
        )
        try store.change { world in
            let request = try PurchaseRequest(json: Array(#"{"customer":"new","productId":"monthly"}"#.utf8))
            _ = try world.purchase(request)
        }
        for name in ["now", "before", "new"] {
            let customer = try #require(store.current().customer(name))
            let trial = try #require(customer.transactions.last)
            #expect(milliseconds(trial) == Self.week, "\(name)")
            let evidence = try Evidence(of: name, in: store)
            #expect(evidence.history.first?["offerDiscountType"] as? String == "FREE_TRIAL")
            #expect(evidence.history.first?["offerPeriod"] as? String == "P1W")
            #expect(evidence.rows.last?["is_trial_period"] == "true")
            #expect(evidence.rows.dropLast().allSatisfy { $0["is_trial_period"] == "false" })
        }
        let now = store.current().clock.now
        #expect(try #require(store.current().customer("now")?.transactions.first).expiresDate > now)
        let periods = try #require(store.current().customer("before")).transactions
        #expect(periods.count == 3)
        #expect(zip(periods, periods.dropFirst()).allSatisfy { $0.purchaseDate == $1.expiresDate })
        #expect(periods.dropLast().allSatisfy { milliseconds($0) > 27 * 86_400_000 })
    }

    @Test("A trial of somebody else's subscription is not the customer's", arguments: ["familyShared", "assigned"])
    func notBought(state: String) throws {
        var world = try TestStore.world(state: state, more: ", introductory: true")
        let request = try PurchaseRequest(json: Array(#"{"customer":"c","productId":"monthly"}"#.utf8))
        let purchase = try world.purchase(request)
        #expect(purchase.subscription.latest.offer?.kind == .introductory)
        #expect(purchase.customer.subscriptions.count == 2)
        #expect(purchase.event.subtype == .initialBuy)
    }
}

import Foundation
import HTTPTypes
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("One purchase with several transaction ids")
struct CopiedPurchaseTests {
    private let store: SimulatedAppStore

    init() throws { store = try TestStore.store(try TestStore.world(state: "active", more: ", redeemed: [half]")) }

    private func subscriptions() throws -> [StoreSubscription] {
        try #require(store.current().customer("c")).subscriptions
    }

    @Test("A restore puts a copy of the newest purchase beside it, everywhere", arguments: [false, true])
    func restored(isNewOriginal: Bool) async throws {
        let original = try #require(try subscriptions().first)
        let jws = try await store.live { client in
            let body: [String: Any] = [
                "originalTransactionId": original.originalTransactionId, "newOriginal": isNewOriginal,
            ]
            let answer = try await client.post("/simulator/restores", body)
            #expect(answer.status == .ok)
            let view = try #require((answer.json["subscriptions"] as? [[String: Any]])?.first)
            let receipt = try #require(view["transactionReceipt"] as? String)
            let old = try await client.post("/verifyReceipt", ["receipt-data": receipt])
            #expect(old.json["status"] as? Int == 0)
            return try #require(view["signedTransaction"] as? String)
        }
        let device = try JSON.part(1, of: jws)
        #expect(store.current().notifications.isEmpty)
        let evidence = try Evidence(of: "c", in: store)
        #expect(evidence.history.count == 3)
        let latest = evidence.history.filter { $0["transactionId"] as? String == original.latest.transactionId }
        let copies = evidence.history.filter { $0["transactionId"] as? String == device["transactionId"] as? String }
        let (first, copy) = (try #require(latest.first), try #require(copies.first))
        #expect(first["transactionId"] as? String != copy["transactionId"] as? String)
        let isSame = first["originalTransactionId"] as? String == copy["originalTransactionId"] as? String
        #expect(isSame == !isNewOriginal)
        #expect(first["webOrderLineItemId"] != nil)
        for name in ["webOrderLineItemId", "productId"] { #expect(first[name] as? String == copy[name] as? String) }
        for name in ["purchaseDate", "expiresDate"] { #expect(first[name] as? Int == copy[name] as? Int) }
        #expect(evidence.statuses.map { $0.transaction["transactionId"] as? String } == [original.latest.transactionId])
        #expect(evidence.rows.count == 3)
        let orders = evidence.rows.map { $0["web_order_line_item_id"] }
        #expect(orders.filter { $0 == copy["webOrderLineItemId"] as? String }.count == 2)
        #expect(evidence.entries.map { $0["original_transaction_id"] } == [original.originalTransactionId])
    }

    @Test("A refund revokes the purchase with its copies")
    func refundedCopy() throws {
        let id = try #require(try subscriptions().first).originalTransactionId
        try store.change { world in
            _ = try world.restore(id, asNewOriginal: true)
            let copy = try #require(world.customer("c")?.subscriptions.first?.newest)
            _ = try world.revoke(copy.transactionId, .refund(percentage: 40_000))
        }
        let evidence = try Evidence(of: "c", in: store)
        #expect(evidence.statuses.map(\.status) == [5])
        let types = evidence.history.map { $0["revocationType"] as? String }
        #expect(types == [nil, "REFUND_PRORATED", "REFUND_PRORATED"])
        #expect(evidence.rows.filter { $0["cancellation_date_ms"] != nil }.count == 2)
    }

    @Test(
        "After a move to another original id, the old subscription has ended, unrefunded, and the new one names it",
        arguments: [
            ("revoked", 5, 2, nil, ["REVOKE", "SUBSCRIBED"]), ("expired", 2, nil, 5, ["EXPIRED", "SUBSCRIBED"]),
        ] as [(String, Int, Int?, Int?, [String])]
    )
    func moved(end: String, status: Int, revocation: Int?, expiration: Int?, notifications: [String]) async throws {
        let old = try #require(try subscriptions().first).originalTransactionId
        try await store.live { client in
            let body = ["originalTransactionId": old, "end": end]
            let moved = try await client.post("/simulator/id-changes", body)
            #expect(moved.status == .ok)
            #expect(try await client.post("/simulator/id-changes", body).status == .badRequest)
            let other = ["originalTransactionId": old, "end": "x"]
            #expect(try await client.post("/simulator/id-changes", other).json["pointer"] as? String == "/end")
        }
        #expect(store.current().notifications.map(\.kind.rawValue) == notifications)
        let new = try #require(try subscriptions().last)
        #expect(try subscriptions().count == 2)
        let evidence = try Evidence(of: "c", in: store)
        #expect(evidence.statuses.map(\.status) == [status, 1])
        let ended = try #require(evidence.statuses.first)
        #expect(ended.transaction["revocationReason"] as? Int == revocation)
        #expect((ended.transaction["revocationDate"] != nil) == (revocation != nil))
        #expect(ended.transaction["revocationType"] == nil)
        #expect(ended.renewal["expirationIntent"] as? Int == expiration)
        #expect(evidence.entries.map { $0["original_transaction_id"] } == [old, new.originalTransactionId])
        #expect(evidence.entries.map { $0["auto_renew_status"] } == ["0", "1"])
        let now = store.current().clock.now.millisecondsSince1970
        #expect(try #require(evidence.statuses.last?.transaction["expiresDate"] as? Int64) > now)
        _ = store.change { $0.clock.set(to: new.latest.expiresDate) }
        let later = try Evidence(of: "c", in: store)
        #expect(later.history.count == 4)
        for transaction in later.history {
            let isOfNew = transaction["originalTransactionId"] as? String == new.originalTransactionId
            #expect(transaction["previousOriginalTransactionId"] as? String == (isOfNew ? old : nil))
        }
    }

    @Test("A purchase after a move goes on with the new subscription, ended or not", arguments: [false, true])
    func bought(hasEnded: Bool) throws {
        let old = try #require(try subscriptions().first)
        try store.change { world in
            _ = try world.changeId(old.originalTransactionId, .revoked)
            let new = try #require(world.customer("c")?.subscriptions.last)
            if hasEnded {
                _ = try world.change(new.originalTransactionId, willAutoRenew: false, paymentFails: nil)
                _ = world.clock.set(to: new.latest.expiresDate)
                world.advance(signer: try TestStore.signing())
            }
            let bought = try world.buy(["productId": "yearly"])
            #expect(bought.subscription.originalTransactionId == new.originalTransactionId)
            #expect(bought.event.subtype == (hasEnded ? .resubscribe : .upgrade))
        }
        #expect(try subscriptions().count == 2)
        #expect(try subscriptions().first?.latest.productId == "monthly")
    }
}

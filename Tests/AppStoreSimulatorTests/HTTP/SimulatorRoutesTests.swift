import Crypto
import Foundation
import HTTPTypes
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("The simulator's own routes over a socket")
struct SimulatorRoutesTests {
    private let store: SimulatedAppStore

    init() throws {
        store = try TestStore.store(
            try TestStore.world(
                """
                [{ name: c, subscriptions: [{ product: monthly, state: lapsed }] },
                 { name: a, subscriptions: [{ product: monthly, state: active }] }]
                """
            )
        )
    }

    private func discount() throws -> [String: Any] {
        try TestStore.discount(timestamp: store.current().clock.now.millisecondsSince1970)
    }

    @Test("A purchase is answered with Apple's signed data, a refusal with StoreKit's number and why")
    func purchases() async throws {
        let discount = try discount()
        let body = try JSON.text(["customer": "c", "productId": "monthly", "discount": discount])
        let root = try TestStore.signer.get().root
        try await store.live { client in
            let purchase = try JSON.object(body.utf8)
            let bought = try await client.post("/simulator/purchases", purchase)
            #expect(bought.status == .ok)
            #expect(bought.json["notificationType"] as? String == "SUBSCRIBED")
            let jws = try #require(bought.json["signedTransaction"] as? String)
            let payload = try #require(try await AppleTrust.payload(of: jws, root: root, at: Date()))
            #expect(payload["offerIdentifier"] as? String == "half")
            #expect(payload["productId"] as? String == "monthly")
            let again = try await client.post("/simulator/purchases", purchase)
            #expect(again.status == .unprocessableContent)
            #expect(again.json["storeKitError"] as? Int == 12)
            #expect(again.json["name"] as? String == "invalidSignature")
            #expect((again.json["reason"] as? String)?.contains("nonce") == true)
            let nobody = try await client.post("/simulator/purchases", ["customer": "nobody", "productId": "monthly"])
            #expect(nobody.status == .notFound)
            let both = try await client.post("/simulator/purchases", purchase.merging(["jws": "x"]) { $1 })
            #expect(both.status == .badRequest)
            #expect(both.json["pointer"] as? String == "/jws")
        }
    }

    @Test("Refunds and renewals show in what the customer has")
    func changes() async throws {
        try await store.live { client in
            let customer = try await client.get("/simulator/customers/a").json
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            let original = try #require(subscription["originalTransactionId"] as? String)
            let off: [String: Any] = ["originalTransactionId": original, "autoRenew": false]
            #expect(try await client.post("/simulator/renewals", off).status == .ok)
            #expect(store.current().customer("a")?.subscriptions.first?.willAutoRenew == false)
            let refund = ["transactionId": try #require(subscription["transactionId"] as? String)]
            let refunded = try await client.post("/simulator/refunds", refund)
            #expect((refunded.json["subscriptions"] as? [[String: Any]])?.first?["status"] as? Int == 5)
            #expect(try await client.post("/simulator/refunds", refund).status == .badRequest)
            #expect(try await client.post("/simulator/refunds", ["transactionId": "1"]).status == .notFound)
            let kinds = store.current().notifications.map(\.kind)
            #expect(kinds == [.didChangeRenewalStatus, .refund])
            #expect(try await client.get("/simulator/customers/nobody").status == .notFound)
        }
    }

    @Test("A failed payment that is mended is made at once")
    func recovery() async throws {
        try await store.live { client in
            let id = try #require(store.current().customer("a")?.subscriptions.first?.originalTransactionId)
            _ = try await client.post("/simulator/renewals", ["originalTransactionId": id, "paymentFails": true])
            _ = try await client.post("/simulator/clock", ["advanceSeconds": 20 * 86400])
            #expect(store.current().customer("a")?.subscriptions.first?.status == 4)
            _ = try await client.post("/simulator/renewals", ["originalTransactionId": id, "paymentFails": false])
            #expect(store.current().customer("a")?.subscriptions.first?.status == 1)
            #expect(store.current().notifications.map(\.subtype) == [.gracePeriod, .billingRecovery])
        }
    }

    @Test("The clock moves, and time passes with it")
    func clock() async throws {
        try await store.live { client in
            let moved = try await client.post("/simulator/clock", ["now": "2035-01-01T00:00:00Z"])
            #expect((moved.json["nowAt"] as? String)?.hasPrefix("2035-01-01T00:00") == true)
            let later = try await client.post("/simulator/clock", ["advanceSeconds": 86400])
            #expect((later.json["nowAt"] as? String)?.hasPrefix("2035-01-02") == true)
            #expect(
                (try await client.get("/simulator/clock").json["nowAt"] as? String)?.hasPrefix("2035-01-02") == true
            )
            let status = store.current().customer("a")?.subscriptions.first?.latest.expiresDate.rfc3339
            #expect(status?.hasPrefix("2035-0") == true)
            for body in [["now": "2099-01-01T00:00:00Z"], ["now": "soon"], [:], ["advanceSeconds": 1, "now": 1]]
                as [[String: any Sendable]]
            {
                #expect(try await client.post("/simulator/clock", body).status == .badRequest)
            }
        }
    }

    @Test("A key registered by its PEM counts from then on")
    func keys() async throws {
        let pem = TestStore.key.publicKey.pemRepresentation
        let now = store.current().clock.now.millisecondsSince1970
        let discount = try JSON.text(try TestStore.discount(timestamp: now, keyId: "KEY2"))
        let other = try JSON.text(try TestStore.discount(timestamp: now, keyId: "KEY2"))
        try await store.live { client in
            func buy(_ discount: String) async throws -> Int? {
                let body: [String: Any] = [
                    "customer": "c", "productId": "monthly", "discount": try JSON.object(discount.utf8),
                ]
                return try await client.post("/simulator/purchases", body).json["storeKitError"] as? Int
            }
            #expect(try await buy(discount) == 12)
            let key = ["bundleId": "com.example.app", "keyIdentifier": "KEY2", "publicKey": pem]
            #expect(try await client.post("/simulator/keys", key).json["keys"] as? [String] == ["KEY1", "KEY2"])
            #expect(try await buy(other) == nil)
            let bad = try await client.post("/simulator/keys", key.merging(["publicKey": "x"]) { $1 })
            #expect(bad.json["pointer"] as? String == "/publicKey")
            let nowhere = try await client.post("/simulator/keys", key.merging(["bundleId": "x"]) { $1 })
            #expect(nowhere.json["pointer"] as? String == "/bundleId")
        }
    }
}

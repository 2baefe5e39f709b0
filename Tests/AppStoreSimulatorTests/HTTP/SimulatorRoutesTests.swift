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
                 { name: a, subscriptions: [{ product: monthly, state: active }] },
                 { name: f, subscriptions: [{ product: monthly, state: familyShared }] },
                 { name: y, subscriptions: [{ product: yearly, billingPlanType: MONTHLY, state: active }] }]
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
        try await store.live { client in
            let purchase = try JSON.object(body.utf8)
            let bought = try await client.post("/simulator/purchases", purchase)
            #expect(bought.status == .ok)
            #expect(bought.json["notificationType"] as? String == "SUBSCRIBED")
            let jws = try #require(bought.json["signedTransaction"] as? String)
            let payload = try JSON.part(1, of: jws)
            #expect(payload["offerIdentifier"] as? String == "half")
            #expect(payload["productId"] as? String == "monthly")
            let again = try await client.post("/simulator/purchases", purchase)
            #expect(again.status == .unprocessableContent)
            #expect(again.json["storeKitError"] as? Int == 12)
            #expect(again.json["name"] as? String == "invalidSignature")
            #expect((again.json["reason"] as? String)?.contains("nonce") == true)
            let nobody = try await client.post("/simulator/purchases", ["customer": "nobody", "productId": "monthly"])
            #expect(nobody.status == .notFound)
            for (member, value) in [
                ("jws", "x"), ("introductoryOfferEligibility", "a.b.c"), ("billingPlanType", "WEEKLY"),
            ] {
                let both = try await client.post("/simulator/purchases", purchase.merging([member: value]) { $1 })
                #expect(both.status == .badRequest)
                #expect(both.json["pointer"] as? String == "/\(member)")
            }
        }
    }

    @Test("Refunds and renewals change the customer's subscriptions")
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

    /// The newest transaction and renewal info in a notification.
    private func decoded(_ notification: StoreNotification) throws -> (
        status: Int?, transaction: [String: Any], renewal: [String: Any]
    ) {
        let payload = try JSON.part(1, of: notification.signedPayload)
        let data = try #require(payload["data"] as? [String: Any])
        return (
            data["status"] as? Int,
            try JSON.part(1, of: try #require(data["signedTransactionInfo"] as? String)),
            try JSON.part(1, of: try #require(data["signedRenewalInfo"] as? String))
        )
    }

    @Test("Cancelling a commitment, a retention offer, a partial refund and the end of sharing are all notified of")
    func notified() async throws {
        try await store.live { client in
            func subscription(_ name: String) throws -> StoreSubscription { try store.current().subscription(name) }
            let commitment = try subscription("y").originalTransactionId
            let off: [String: Any] = ["originalTransactionId": commitment, "autoRenew": false]
            #expect(try await client.post("/simulator/renewals", off).status == .ok)
            let kept = ["originalTransactionId": try subscription("a").originalTransactionId, "offerId": "keep"]
            #expect(try await client.post("/simulator/retention-offers", kept).status == .ok)
            let other = try await client.post("/simulator/retention-offers", kept.merging(["offerId": "x"]) { $1 })
            #expect(other.json["pointer"] as? String == "/offerId")
            let older: [String: Any] = [
                "transactionId": try subscription("a").earlier[0].transactionId, "revocationPercentage": 25_000,
            ]
            #expect(try await client.post("/simulator/refunds", older).status == .ok)
            let tooMuch = try await client.post(
                "/simulator/refunds",
                older.merging(["revocationPercentage": 100_001]) { $1 }
            )
            #expect(tooMuch.json["pointer"] as? String == "/revocationPercentage")
            let shared = ["transactionId": try subscription("f").latest.transactionId]
            #expect(try await client.post("/simulator/family-revocations", shared).status == .ok)
            let own = ["transactionId": try subscription("a").latest.transactionId]
            #expect(try await client.post("/simulator/family-revocations", own).status == .badRequest)
            let notifications = store.current().notifications
            #expect(notifications.map(\.kind) == [.didChangeRenewalStatus, .offerRedeemed, .refund, .revoke])
            #expect(notifications.map(\.subtype) == [.autoRenewDisabled, nil, nil, nil])
            let found = try notifications.map { try decoded($0) }
            #expect(found.map(\.status) == [1, 1, 1, 5])
            let info = found[0].renewal["commitmentInfo"] as? [String: Any]
            #expect(found[0].transaction["billingPlanType"] as? String == "MONTHLY")
            #expect(found[0].renewal["autoRenewStatus"] as? Int == 1)
            #expect(info?["commitmentAutoRenewStatus"] as? Int == 0)
            #expect(found[1].renewal["offerType"] as? Int == 5)
            #expect(found[2].transaction["transactionId"] as? String == older["transactionId"] as? String)
            #expect(found[2].transaction["revocationType"] as? String == "REFUND_PRORATED")
            #expect(found[3].transaction["revocationType"] as? String == "FAMILY_REVOKE")
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

import Foundation
import HTTPTypes
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Seats of organisations and groups")
struct SeatTests {
    private let store: SimulatedAppStore

    init() throws {
        store = try TestStore.store(
            try TestStore.world(
                """
                [{ name: employee, appAccountToken: 7e3fb20b-4cdb-47cc-936d-99d65f608138,
                   subscriptions: [{ product: monthly, state: assigned, introductory: true }] },
                 { name: member, subscriptions: [{ product: monthly, state: assigned, seats: 5 }] },
                 { name: buyer, subscriptions: [{ product: monthly, state: active, seats: 5 }] },
                 { name: host, subscriptions: [{ product: monthly, state: active, seats: 2, invitationManagement: DEVELOPER }] },
                 { name: owing, subscriptions: [{ product: monthly, state: gracePeriod, seats: 2 }] },
                 { name: single, subscriptions: [{ product: monthly, state: active }] }]
                """
            )
        )
    }

    private func subscription(_ name: String) throws -> StoreSubscription { try store.current().subscription(name) }

    @Test("A member has a transaction that somebody else paid for, without an account; a group's has the group's seats")
    func members() throws {
        for (name, quantity) in [("employee", 1), ("member", 5)] {
            let evidence = try Evidence(of: name, in: store)
            #expect(evidence.history.count == 2)
            for transaction in evidence.history {
                #expect(transaction["inAppOwnershipType"] as? String == "ASSIGNED")
                #expect(transaction["appAccountToken"] == nil)
                #expect(transaction["quantity"] as? Int == quantity)
                let seats = transaction["multiSeatInfo"] as? [String: Any]
                #expect(seats?["invitationManagement"] as? String == (quantity == 5 ? "APPLE" : nil))
                let tiers = seats?["priceTiers"] as? [[String: Int]]
                #expect(tiers == (quantity == 5 ? [["price": 9990, "quantity": 5]] : nil))
            }
            #expect(evidence.rows.map { $0["in_app_ownership_type"] } == ["ASSIGNED", "ASSIGNED"])
            #expect(evidence.rows.map { $0["quantity"] } == ["\(quantity)", "\(quantity)"])
        }
        let host = try #require(try Evidence(of: "host", in: store).history.last)
        #expect((host["multiSeatInfo"] as? [String: Any])?["invitationManagement"] as? String == "DEVELOPER")
        #expect(host["inAppOwnershipType"] as? String == "PURCHASED")
    }

    @Test("A seat that is taken away ends at once, and nobody is refunded")
    func removed() async throws {
        let (member, buyer) = (try subscription("member").latest, try subscription("buyer").latest)
        try await store.live { client in
            let body = ["transactionId": member.transactionId]
            let refund = try await client.post("/simulator/refunds", body)
            #expect(refund.json["pointer"] as? String == "/transactionId")
            #expect(try await client.post("/simulator/family-revocations", body).status == .badRequest)
            let own = ["transactionId": buyer.transactionId]
            #expect(try await client.post("/simulator/assignment-revocations", own).status == .badRequest)
            #expect(try await client.post("/simulator/assignment-revocations", body).status == .ok)
        }
        #expect(try subscription("member").status == 5)
        let notification = try #require(store.current().notifications.first)
        #expect(store.current().notifications.count == 1)
        #expect((notification.kind, notification.subtype) == (.revoke, nil))
        let transaction = try #require(try Evidence(of: "member", in: store).history.last)
        #expect(transaction["revocationType"] as? String == "ASSIGNMENT_REVOKE")
        #expect(transaction["revocationDate"] != nil)
        #expect(transaction["revocationPercentage"] == nil)
    }

    @Test("Added seats are one more transaction of the same period, and all seats renew")
    func added() async throws {
        let before = try subscription("buyer")
        try await store.live { client in
            let body: [String: Any] = ["originalTransactionId": before.originalTransactionId, "added": 2]
            let answer = try await client.post("/simulator/seats", body)
            let view = (answer.json["subscriptions"] as? [[String: Any]])?.first
            #expect((view?["signedTransactions"] as? [Any])?.count == 2)
            for name in ["single", "owing", "member"] {
                let id = try subscription(name).originalTransactionId
                let refused = try await client.post("/simulator/seats", ["originalTransactionId": id, "added": 2])
                #expect(refused.json["pointer"] as? String == "/originalTransactionId", "\(name)")
            }
            let both = body.merging(["refunded": 1]) { $1 }
            #expect(try await client.post("/simulator/seats", both).status == .badRequest)
        }
        let evidence = try Evidence(of: "buyer", in: store)
        #expect(evidence.history.map { $0["quantity"] as? Int } == [5, 5, 2])
        let reasons = evidence.history.map { $0["additionalTransactionReason"] as? String }
        #expect(reasons == [nil, "SEAT_ADDITION", "SEAT_ADDITION"])
        #expect(evidence.history.allSatisfy { $0["isUpgraded"] == nil })
        let (first, addition) = (evidence.history[1], evidence.history[2])
        for name in ["originalTransactionId", "productId"] {
            #expect(first[name] as? String == addition[name] as? String)
        }
        #expect(first["expiresDate"] as? Int == addition["expiresDate"] as? Int)
        #expect(try #require(first["purchaseDate"] as? Int) < (try #require(addition["purchaseDate"] as? Int)))
        #expect(first["webOrderLineItemId"] as? String != addition["webOrderLineItemId"] as? String)
        let renewal = try #require(evidence.statuses.first?.renewal)
        #expect(renewal["renewalQuantity"] as? Int == 7)
        let tiers = (renewal["multiSeatInfo"] as? [String: Any])?["renewalPriceTiers"] as? [[String: Int]]
        #expect(tiers == [["price": 9990, "quantity": 7]])
        let notification = try #require(store.current().notifications.first)
        #expect((notification.kind, notification.subtype) == (.didChangeRenewalPreference, .increaseQuantity))
        _ = store.change { $0.clock.set(to: before.latest.expiresDate) }
        let renewed = try subscription("buyer")
        #expect(renewed.latest.quantity == 7)
        #expect(renewed.transactions.count == 4)
        #expect(!renewed.latest.isOfSeveral)
    }

    @Test("Refunded seats end without the subscription")
    func refunded() async throws {
        let before = try subscription("buyer")
        try await store.live { client in
            var body: [String: Any] = ["originalTransactionId": before.originalTransactionId, "refunded": 5]
            let all = try await client.post("/simulator/seats", body)
            #expect(all.json["pointer"] as? String == "/refunded")
            body["refunded"] = 3
            #expect(try await client.post("/simulator/seats", body).status == .ok)
        }
        let evidence = try Evidence(of: "buyer", in: store)
        let transaction = try #require(evidence.history.last)
        #expect((transaction["multiSeatInfo"] as? [String: Any])?["revokedSeatQuantity"] as? Int == 3)
        #expect(transaction["quantity"] as? Int == 5)
        #expect(transaction["revocationDate"] == nil)
        #expect(transaction["revocationType"] == nil)
        #expect(evidence.statuses.map(\.status) == [1])
        let notification = try #require(store.current().notifications.first)
        let payload = try JSON.part(1, of: notification.signedPayload)
        #expect(payload["notificationType"] as? String == "REFUND")
        #expect(payload["subtype"] as? String == "SEATS")
        _ = store.change { $0.clock.set(to: before.latest.expiresDate) }
        #expect(try subscription("buyer").latest.quantity == 2)
    }

    @Test("A refund of one transaction of a period leaves the seats of the other, and the subscription")
    func refundedAddition() throws {
        let id = try subscription("buyer").originalTransactionId
        try store.change { world in
            _ = try world.addSeats(2, to: id)
            let first = try #require(world.customer("buyer")?.subscriptions.first?.latest.transactionId)
            _ = try world.revoke(first, .refund(percentage: StoreTransaction.Revocation.wholePercentage))
        }
        let evidence = try Evidence(of: "buyer", in: store)
        #expect(evidence.statuses.map(\.status) == [1])
        #expect(evidence.statuses.first?.transaction["quantity"] as? Int == 2)
        let addition = try subscription("buyer").newest
        try store.change { world in
            _ = try world.revoke(
                addition.transactionId,
                .refund(percentage: StoreTransaction.Revocation.wholePercentage)
            )
        }
        #expect(try subscription("buyer").status == 5)
    }
}

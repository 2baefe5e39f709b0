import Crypto
import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("StoreKit's verdict on a discount")
struct StoreKitRulesTests {
    /// Buys, and tells StoreKit's error; 0 for none.
    private func verdict(
        _ discount: [String: Any],
        state: String = "lapsed",
        product: String = "monthly",
        account: [String: String] = [:],
        in world: inout AppStoreWorld
    ) throws -> Int64 {
        var body: [String: Any] = ["customer": "c", "productId": product, "discount": discount]
        body.merge(account) { $1 }
        do {
            _ = try world.purchase(try PurchaseRequest(json: Array(try JSON.text(body).utf8)))
            return 0
        } catch let error as StoreKitError {
            return error.code.rawValue
        }
    }

    private func verdict(
        _ change: ([String: Any]) -> [String: Any] = { $0 },
        state: String = "lapsed"
    ) throws -> Int64 {
        var world = try TestStore.world(state: state)
        let discount = try TestStore.discount(timestamp: world.clock.now.millisecondsSince1970)
        return try verdict(change(discount), in: &world)
    }

    @Test("A right signature is taken from every customer who subscribed once, in any state")
    func taken() throws {
        for state in ["active", "activeAutoRenewOff", "gracePeriod", "billingRetry", "lapsed", "refunded"] {
            #expect(try verdict(state: state) == 0, "\(state)")
        }
    }

    @Test("A customer who never paid for a subscription is not eligible: 18")
    func neverSubscribed() throws {
        var world = try TestStore.world("[{ name: c }]")
        let discount = try TestStore.discount(timestamp: world.clock.now.millisecondsSince1970)
        #expect(try verdict(discount, in: &world) == 18)
        for state in ["familyShared", "assigned", "assignmentRevoked"] {
            #expect(try verdict(state: state) == 18, "\(state)")
        }
    }

    @Test(
        "Every other value of a signed field is an invalid signature: 12",
        arguments: [
            ("keyIdentifier", "KEY2"), ("nonce", "7e3fb20b-4cdb-47cc-936d-99d65f608138"), ("nonce", "not-a-uuid"),
            ("signature", "AAAA"), ("signature", "%%%"),
        ]
    )
    func changed(field: String, value: String) throws {
        #expect(try verdict { $0.merging([field: value]) { $1 } } == 12)
    }

    @Test("A changed timestamp is an invalid signature: 12")
    func changedTimestamp() throws {
        #expect(try verdict { $0.merging(["timestamp": ($0["timestamp"] as? Int64 ?? 0) + 1]) { $1 } } == 12)
    }

    @Test("A missing parameter: 13", arguments: ["identifier", "keyIdentifier", "nonce", "timestamp", "signature"])
    func missing(field: String) throws {
        #expect(try verdict { $0.filter { $0.key != field } } == 13)
    }

    @Test("An offer that the product does not have: 11; one whose price is no longer valid: 14")
    func offers() throws {
        var world = try TestStore.world(state: "lapsed")
        let now = world.clock.now.millisecondsSince1970
        for (offer, code) in [("nope", 11), ("listen", 11), ("stale", 14)] as [(String, Int64)] {
            #expect(try verdict(try TestStore.discount(offer: offer, timestamp: now), in: &world) == code)
        }
    }

    @Test("A server's mistakes: 12")
    func signedWrongly() throws {
        var world = try TestStore.world(state: "lapsed")
        let now = world.clock.now.millisecondsSince1970
        let wrong = [
            try TestStore.discount(timestamp: now, bundleId: "com.example.App"),
            try TestStore.discount(timestamp: now, key: P256.Signing.PrivateKey()),
            try TestStore.discount(nonce: UUID().uuidString, timestamp: now),
            try TestStore.discount(timestamp: now / 1000),
            try TestStore.discount(product: "yearly", timestamp: now),
            try TestStore.discount(account: "somebody", timestamp: now),
        ]
        for discount in wrong { #expect(try verdict(discount, in: &world) == 12) }
        // The same fields, joined by a newline.
        var discount = try TestStore.discount(timestamp: now)
        let fields = ["com.example.app", "KEY1", "monthly", "half", "", discount["nonce"] as? String ?? "", "\(now)"]
        let signature = try TestStore.key.signature(for: Data(fields.joined(separator: "\n").utf8))
        discount["signature"] = signature.derRepresentation.base64EncodedString()
        #expect(try verdict(discount, in: &world) == 12)
        discount["signature"] = signature.rawRepresentation.base64EncodedString()
        #expect(try verdict(discount, in: &world) == 12)
    }

    @Test("The account on the payment is the one that was signed: a token in lowercase, a name verbatim")
    func accounts() throws {
        var world = try TestStore.world(state: "lapsed")
        let now = world.clock.now.millisecondsSince1970
        let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        for (signed, set, code) in [
            (token.lowercased(), ["appAccountToken": token], 0), (token, ["appAccountToken": token], 12),
            ("Alice", ["applicationUsername": "Alice"], 0), ("alice", ["applicationUsername": "Alice"], 12),
            ("Alice", [:], 12), ("", ["applicationUsername": "Alice"], 12),
        ] as [(String, [String: String], Int64)] {
            let discount = try TestStore.discount(account: signed, timestamp: now)
            #expect(try verdict(discount, account: set, in: &world) == code, "\(signed) \(set)")
        }
    }

    @Test("A nonce is taken once, even if the request that had it failed")
    func nonces() throws {
        var world = try TestStore.world(state: "lapsed")
        let now = world.clock.now.millisecondsSince1970
        let discount = try TestStore.discount(timestamp: now)
        #expect(try verdict(discount, in: &world) == 0)
        #expect(try verdict(discount, in: &world) == 12)
        let other = try TestStore.discount(timestamp: now)
        #expect(try verdict(other, account: ["applicationUsername": "Alice"], in: &world) == 12)
        #expect(try verdict(other, in: &world) == 12)
    }

    @Test("A signature is taken for 24 hours, and not before it was made")
    func lifetime() throws {
        let day: Int64 = 86_400_000
        for (age, code) in [(day - 60_000, 0), (day + 1, 12), (-3_600_000, 12)] as [(Int64, Int64)] {
            var world = try TestStore.world(state: "lapsed")
            let discount = try TestStore.discount(timestamp: world.clock.now.millisecondsSince1970 - age)
            #expect(try verdict(discount, in: &world) == code, "\(age)")
        }
    }

    @Test("A product that the app does not have: 5")
    func product() throws {
        var world = try TestStore.world(state: "lapsed")
        let discount = try TestStore.discount(timestamp: world.clock.now.millisecondsSince1970)
        #expect(try verdict(discount, product: "nope", in: &world) == 5)
    }
}

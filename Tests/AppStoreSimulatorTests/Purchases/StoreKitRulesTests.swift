import Crypto
import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("StoreKit's verdict on a discount")
struct StoreKitRulesTests {
    private let world: AppStoreWorld
    private let now: Int64

    init() throws {
        world = try TestStore.world(state: "lapsed")
        now = world.clock.now.millisecondsSince1970
    }

    @Test(
        "A right signature is taken from every customer who paid for a subscription once; from no other: 18",
        arguments: [
            ("active", 0), ("activeAutoRenewOff", 0), ("gracePeriod", 0), ("billingRetry", 0), ("lapsed", 0),
            ("refunded", 0), ("familyShared", 18), ("assigned", 18), ("assignmentRevoked", 18), (nil, 18),
        ] as [(String?, Int64)]
    )
    func customers(state: String?, code: Int64) throws {
        var world = try state.map { try TestStore.world(state: $0) } ?? TestStore.world("[{ name: c }]")
        #expect(try world.verdict(["discount": try TestStore.discount(timestamp: now)]) == code)
    }

    @Test(
        "Every other value of a signed field is an invalid signature, 12; a missing parameter is 13",
        arguments: [
            ("keyIdentifier", "KEY2", 12), ("nonce", "7e3fb20b-4cdb-47cc-936d-99d65f608138", 12),
            ("nonce", "not-a-uuid", 12), ("signature", "AAAA", 12), ("signature", "%%%", 12), ("identifier", nil, 13),
            ("keyIdentifier", nil, 13), ("nonce", nil, 13), ("timestamp", nil, 13), ("signature", nil, 13),
        ] as [(String, String?, Int64)]
    )
    func changed(field: String, value: String?, code: Int64) throws {
        var (world, discount) = (world, try TestStore.discount(timestamp: now))
        discount[field] = value
        #expect(try world.verdict(["discount": discount]) == code)
    }

    @Test("An offer that the product does not have: 11; one whose price is no longer valid: 14; no such product: 5")
    func offers() throws {
        var world = world
        for (offer, product, code) in [
            ("nope", "monthly", 11), ("listen", "monthly", 11), ("stale", "monthly", 14), ("half", "nope", 5),
        ] as [(String, String, Int64)] {
            let discount = try TestStore.discount(offer: offer, timestamp: now)
            #expect(try world.verdict(["productId": product, "discount": discount]) == code)
        }
    }

    @Test("A server's mistakes: 12")
    func signedWrongly() throws {
        var world = world
        var wrong = [
            try TestStore.discount(timestamp: now, bundleId: "com.example.App"),
            try TestStore.discount(timestamp: now, key: P256.Signing.PrivateKey()),
            try TestStore.discount(nonce: UUID().uuidString, timestamp: now),
            try TestStore.discount(timestamp: now / 1000),
            try TestStore.discount(timestamp: now).merging(["timestamp": now + 1]) { $1 },
            try TestStore.discount(product: "yearly", timestamp: now),
            try TestStore.discount(account: "somebody", timestamp: now),
        ]
        // The same fields, joined by a newline.
        var discount = try TestStore.discount(timestamp: now)
        let fields = ["com.example.app", "KEY1", "monthly", "half", "", discount["nonce"] as? String ?? "", "\(now)"]
        let signature = try TestStore.key.signature(for: Data(fields.joined(separator: "\n").utf8))
        for form in [signature.derRepresentation, signature.rawRepresentation] {
            discount["signature"] = form.base64EncodedString()
            wrong.append(discount)
        }
        for discount in wrong { #expect(try world.verdict(["discount": discount]) == 12) }
    }

    @Test("The account on the payment is the one that was signed: a token in lowercase, a name verbatim")
    func accounts() throws {
        var world = world
        let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        for (signed, set, code) in [
            (token.lowercased(), ["appAccountToken": token], 0), (token, ["appAccountToken": token], 12),
            ("Alice", ["applicationUsername": "Alice"], 0), ("alice", ["applicationUsername": "Alice"], 12),
            ("Alice", [:], 12), ("", ["applicationUsername": "Alice"], 12),
        ] as [(String, [String: Any], Int64)] {
            var purchase = set
            purchase["discount"] = try TestStore.discount(account: signed, timestamp: now)
            #expect(try world.verdict(purchase) == code, "\(signed) \(set)")
        }
    }

    @Test("A nonce is taken once, even if the request that had it failed")
    func nonces() throws {
        var world = world
        let discount = ["discount": try TestStore.discount(timestamp: now)]
        #expect(try world.verdict(discount) == 0)
        #expect(try world.verdict(discount) == 12)
        let other: [String: Any] = ["discount": try TestStore.discount(timestamp: now)]
        #expect(try world.verdict(other.merging(["applicationUsername": "Alice"]) { $1 }) == 12)
        #expect(try world.verdict(other) == 12)
    }

    @Test(
        "A signature is taken for 24 hours, and not before it was made",
        arguments: [(86_340_000, 0), (86_400_001, 12), (-3_600_000, 12)] as [(Int64, Int64)]
    )
    func lifetime(age: Int64, code: Int64) throws {
        var world = world
        #expect(try world.verdict(["discount": try TestStore.discount(timestamp: now - age)]) == code)
    }
}

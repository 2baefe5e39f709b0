import Crypto
import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("StoreKit's verdict on a JWS")
struct StoreKitRulesJWSTests {
    private let world: AppStoreWorld
    private let claims: [String: Any]

    init() throws {
        world = try TestStore.world(state: "lapsed")
        claims = [
            "iss": "issuer", "iat": world.clock.now.millisecondsSince1970 / 1000, "aud": "promotional-offer",
            "bid": "com.example.app", "nonce": UUID().uuidString.lowercased(), "productId": "monthly",
            "offerIdentifier": "half",
        ]
    }

    private func verdict(_ jws: String, offer: String? = "half", in world: inout AppStoreWorld) throws -> Int64 {
        var body: [String: Any] = ["customer": "c", "productId": "monthly", "jws": jws]
        body["offerId"] = offer
        do {
            _ = try world.purchase(try PurchaseRequest(json: Array(try JSON.text(body).utf8)))
            return 0
        } catch let error as StoreKitError {
            return error.code.rawValue
        }
    }

    @Test("A right one is taken, once, with the customer's transaction or without")
    func taken() throws {
        var world = world
        let jws = try TestStore.jws(claims)
        #expect(try verdict(jws, in: &world) == 0)
        #expect(try verdict(jws, in: &world) == 12)
        let customer = try #require(world.customer("c"))
        for id in [try #require(customer.transactions.first?.transactionId), customer.appTransactionId] {
            let more: [String: Any] = ["transactionId": id, "nonce": UUID().uuidString.lowercased()]
            #expect(try verdict(try TestStore.jws(claims.merging(more) { $1 }), in: &world) == 0)
        }
    }

    @Test("Any other claim is refused: 12")
    func claimsRefused() throws {
        let wrong: [[String: Any]] = [
            ["exp": 4_000_000_000], ["aud": "appstoreconnect-v1"], ["bid": "com.example.other"], ["iss": "other"],
            ["productId": "yearly"], ["offerIdentifier": "other"], ["nonce": UUID().uuidString], ["nonce": "x"],
            ["transactionId": "999"], ["iat": 1_600_000_000], ["iat": world.clock.now.millisecondsSince1970],
        ]
        for change in wrong {
            var world = world
            #expect(try verdict(try TestStore.jws(claims.merging(change) { $1 }), in: &world) == 12, "\(change)")
        }
    }

    @Test("Another key, algorithm or form is refused: 12")
    func forms() throws {
        for jws in [
            try TestStore.jws(claims, key: P256.Signing.PrivateKey()),
            try TestStore.jws(claims, header: ["alg": "none", "kid": "KEY1"]),
            try TestStore.jws(claims, header: ["alg": "ES256", "kid": "KEY2"]),
            try TestStore.jws(claims, header: ["alg": "ES256"]), "a.b", "", try TestStore.jws(claims) + "=",
        ] {
            var world = world
            #expect(try verdict(jws, in: &world) == 12)
        }
    }

    @Test("The offer is named: 13 without, 11 for one that there is not")
    func offers() throws {
        var world = world
        #expect(try verdict(try TestStore.jws(claims), offer: nil, in: &world) == 13)
        #expect(try verdict(try TestStore.jws(claims), offer: "nope", in: &world) == 11)
    }
}

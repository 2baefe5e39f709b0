import Crypto
import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("StoreKit's verdict on introductory offer eligibility")
struct StoreKitRulesIntroductoryTests {
    /// What became of a purchase: the type of the offer it was made at, 0 for none, or StoreKit's error.
    private func outcome(
        _ change: [String: Any],
        header: [String: Any] = ["alg": "ES256", "kid": "KEY1", "typ": "JWT"],
        key: P256.Signing.PrivateKey = TestStore.key,
        in world: inout AppStoreWorld
    ) throws -> String {
        let customer = try #require(world.customer("c"))
        var claims: [String: Any] = [
            "iss": "issuer", "iat": world.clock.now.millisecondsSince1970 / 1000,
            "aud": "introductory-offer-eligibility", "bid": "com.example.app", "nonce": UUID().uuidString.lowercased(),
            "productId": "monthly", "allowIntroductoryOffer": true, "transactionId": customer.appTransactionId,
        ]
        for (name, value) in change { claims[name] = value is NSNull ? nil : value }
        let body: [String: Any] = [
            "customer": "c", "productId": "monthly",
            "introductoryOfferEligibility": try TestStore.jws(claims, header: header, key: key),
        ]
        do {
            let purchase = try world.purchase(try PurchaseRequest(json: Array(try JSON.text(body).utf8)))
            return "offer \(purchase.subscription.latest.offer?.kind.rawValue ?? 0)"
        } catch let error as StoreKitError {
            return "error \(error.code.rawValue)"
        }
    }

    @Test("It gives the offer to a customer who has used one, and keeps it from one who has not")
    func obeyed() throws {
        var former = try TestStore.world(state: "lapsed", more: ", introductory: true, periods: 3")
        #expect(try #require(former.customer("c")).hasUsedIntroductoryOffer(in: "100"))
        #expect(try outcome([:], in: &former) == "offer 1")
        var newcomer = try TestStore.world("[{ name: c }]")
        #expect(try outcome(["allowIntroductoryOffer": false], in: &newcomer) == "offer 0")
    }

    @Test("A transaction of the customer serves as well as the download's, an unknown one does not")
    func transaction() throws {
        var world = try TestStore.world(state: "lapsed")
        let id = try #require(world.customer("c")?.transactions.first?.transactionId)
        #expect(try outcome(["transactionId": id], in: &world) == "offer 1")
        #expect(try outcome(["transactionId": "999"], in: &world) == "error 12")
        #expect(try outcome(["transactionId": NSNull()], in: &world) == "error 12")
    }

    @Test("Each is taken once")
    func nonce() throws {
        var world = try TestStore.world(state: "lapsed")
        let nonce = UUID().uuidString.lowercased()
        #expect(try outcome(["nonce": nonce], in: &world) == "offer 1")
        #expect(try outcome(["nonce": nonce], in: &world) == "error 12")
    }

    @Test("Any other claim, key or algorithm is refused: 12")
    func refused() throws {
        let wrong: [[String: Any]] = [
            ["exp": 4_000_000_000], ["aud": "promotional-offer"], ["bid": "com.example.other"], ["iss": "other"],
            ["productId": "yearly"], ["nonce": "x"], ["iat": 1_600_000_000], ["allowIntroductoryOffer": "true"],
            ["allowIntroductoryOffer": NSNull()],
        ]
        for change in wrong {
            var world = try TestStore.world(state: "lapsed")
            #expect(try outcome(change, in: &world) == "error 12", "\(change)")
        }
        var world = try TestStore.world(state: "lapsed")
        #expect(try outcome([:], key: P256.Signing.PrivateKey(), in: &world) == "error 12")
        #expect(try outcome([:], header: ["alg": "none", "kid": "KEY1"], in: &world) == "error 12")
    }

    @Test("It does not go with a promotional offer")
    func both() {
        let body =
            #"{"customer":"c","productId":"p","offerId":"o","jws":"a.b.c","introductoryOfferEligibility":"a.b.c"}"#
        let fault = #expect(throws: RequestFault.self) { try PurchaseRequest(json: Array(body.utf8)) }
        #expect("\(String(describing: fault))".contains("introductoryOfferEligibility"))
    }
}

import Crypto
import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("StoreKit's verdict on a JWS")
struct StoreKitRulesJWSTests {
    enum Use: CaseIterable {
        case promotional
        case introductory
    }

    private let world: AppStoreWorld
    private let customer: StoreCustomer

    init() throws {
        world = try TestStore.world(state: "lapsed")
        customer = try #require(world.customer("c"))
    }

    /// A purchase with a JWS that is right but for some claims; `NSNull` leaves one out.
    private func purchase(
        _ use: Use,
        _ change: [String: Any] = [:],
        header: [String: Any] = ["alg": "ES256", "kid": "KEY1", "typ": "JWT"],
        key: P256.Signing.PrivateKey = TestStore.key
    ) throws -> [String: Any] {
        var claims: [String: Any] =
            switch use {
            case .promotional: TestStore.claims(["aud": "promotional-offer", "offerIdentifier": "half"])
            case .introductory:
                TestStore.claims([
                    "aud": "introductory-offer-eligibility", "allowIntroductoryOffer": true,
                    "transactionId": customer.appTransactionId,
                ])
            }
        for (name, value) in change { claims[name] = value is NSNull ? nil : value }
        return purchase(use, try TestStore.jws(claims, header: header, key: key))
    }

    private func purchase(_ use: Use, _ jws: String) -> [String: Any] {
        use == .promotional ? ["offerId": "half", "jws": jws] : ["introductoryOfferEligibility": jws]
    }

    @Test("A right one is taken, once, with a transaction of the customer or the download's", arguments: Use.allCases)
    func taken(use: Use) throws {
        var world = world
        for id in [try #require(customer.transactions.first?.transactionId), customer.appTransactionId] {
            let purchase = try purchase(use, ["transactionId": id])
            #expect(try world.verdict(purchase) == 0)
            #expect(try world.verdict(purchase) == 12)
        }
        // Apple asks for one for an introductory offer alone.
        #expect(try world.verdict(try purchase(use, ["transactionId": NSNull()])) == (use == .promotional ? 0 : 12))
    }

    @Test("Any other claim, key, algorithm or form is refused: 12", arguments: Use.allCases)
    func refused(use: Use) throws {
        let changes: [[String: Any]] = [
            ["exp": 4_000_000_000], ["aud": "appstoreconnect-v1"], ["bid": "com.example.other"], ["iss": "other"],
            ["aud": use == .promotional ? "introductory-offer-eligibility" : "promotional-offer"],
            ["productId": "yearly"], ["nonce": UUID().uuidString], ["nonce": "x"], ["transactionId": "999"],
            ["iat": 1_600_000_000], ["iat": world.clock.now.millisecondsSince1970],
            use == .promotional ? ["offerIdentifier": "other"] : ["allowIntroductoryOffer": "true"],
            use == .promotional ? ["offerIdentifier": NSNull()] : ["allowIntroductoryOffer": NSNull()],
        ]
        var wrong = try changes.map { try purchase(use, $0) }
        wrong += [
            try purchase(use, key: P256.Signing.PrivateKey()),
            try purchase(use, header: ["alg": "none", "kid": "KEY1"]),
            try purchase(use, header: ["alg": "ES256", "kid": "KEY2"]), try purchase(use, header: ["alg": "ES256"]),
            purchase(use, "a.b"), purchase(use, ""), purchase(use, try TestStore.jws(TestStore.claims([:])) + "="),
        ]
        for (number, purchase) in wrong.enumerated() {
            var world = world
            #expect(try world.verdict(purchase) == 12, "\(number): \(purchase)")
        }
    }

    @Test("The promotional offer is named: 13 without, 11 for one that there is not")
    func offers() throws {
        var world = world
        let jws = ["jws": try #require(try purchase(.promotional)["jws"])]
        #expect(try world.verdict(jws) == 13)
        #expect(try world.verdict(jws.merging(["offerId": "nope"]) { $1 }) == 11)
    }

    @Test("It gives the introductory offer to a customer who has used one, and keeps it from one who has not")
    func obeyed() throws {
        var former = try TestStore.world(state: "lapsed", more: ", introductory: true, periods: 3")
        #expect(try #require(former.customer("c")).hasUsedIntroductoryOffer(in: "100"))
        #expect(try former.buy(try purchase(.introductory)).subscription.latest.offer?.kind == .introductory)
        var newcomer = try TestStore.world("[{ name: c }]")
        let refused = try purchase(.introductory, ["allowIntroductoryOffer": false])
        #expect(try newcomer.buy(refused).subscription.latest.offer == nil)
    }
}

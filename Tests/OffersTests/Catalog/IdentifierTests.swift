import Offers
import Testing

@Suite("Identifiers are found by their bytes")
struct IdentifierTests {
    private let app = App(
        bundleId: "com.example.Key",
        subscriptionGroups: [
            SubscriptionGroup(id: "1", products: [Product(id: "Key.é", offers: [PromotionalOffer(id: "Kelvin")])])
        ]
    )

    @Test("The catalog's own are found")
    func found() throws {
        let product = try #require(app.product("Key.\u{E9}")?.product)
        #expect(product.offer("Kelvin")?.id == "Kelvin")
    }

    @Test(
        "An identifier equivalent by Unicode is another identifier",
        arguments: ["\u{212A}ey.\u{E9}", "Key.e\u{301}", "key.é", "Key.é ", "Key.é\u{0}", ""]
    )
    func equivalent(productId: String) {
        #expect(app.product(productId) == nil)
    }

    @Test("The app of evidence, too", arguments: [("com.example.Key", true), ("com.example.\u{212A}ey", false)])
    func equivalentApp(bundleId: String, isOwn: Bool) {
        var policy = examplePolicy(history([], of: bundleId), of: app)
        let decision = policy.decide(OfferRequest(productId: "Key.\u{E9}", offerId: "Kelvin"))
        #expect((decision.reason != .bundleMismatch) == isOwn)
    }

    @Test("An offer's, too", arguments: ["\u{212A}elvin", "kelvin", "Kelvin\u{200B}", "Kelvi"])
    func equivalentOffer(offerId: String) throws {
        #expect(try #require(app.product("Key.\u{E9}")?.product).offer(offerId) == nil)
    }
}

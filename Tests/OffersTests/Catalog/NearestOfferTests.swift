import Offers
import Testing

@Suite("An offer that the catalog lacks")
struct NearestOfferTests {
    private let app: App = {
        func product(_ id: String, _ offers: String...) -> Product {
            Product(id: id, offers: offers.map { PromotionalOffer(id: $0) })
        }
        let products = [
            product("com.example.pro.monthly", "comeback50", "stay30", "x1"),
            product("com.example.pro.yearly", "loyal20"),
            product("com.example.pro.weekly", "loyal20", "comeback50"),
        ]
        let many = (1...5).map { product("com.example.audio.\($0)", "summer") }
        return App(
            bundleId: "com.example",
            subscriptionGroups: [
                SubscriptionGroup(id: "1", products: products), SubscriptionGroup(id: "2", products: many),
            ]
        )
    }()

    private func detail(_ productId: String, _ offerId: String) -> String {
        var policy = examplePolicy(nil, of: app)
        let decision = policy.decide(OfferRequest(productId: productId, offerId: offerId))
        #expect(decision.reason == .offerNotInCatalog)
        return decision.detail
    }

    @Test(
        "The name that was meant is named: in another case, with one slip, or on another product",
        arguments: [
            ("com.example.pro.monthly", "Comeback50", "; did you mean comeback50? Upper and lower case count."),
            ("com.example.pro.monthly", "comback50", "; did you mean comeback50?"),
            ("com.example.pro.monthly", "comebakc50", "; did you mean comeback50?"),
            ("com.example.pro.monthly", "comeback500", "; did you mean comeback50?"),
            ("com.example.pro.monthly", "comeback60", "; did you mean comeback50?"),
            ("com.example.pro.monthly", "loyal20", "; it is on com.example.pro.yearly, com.example.pro.weekly."),
            (
                "com.example.pro.monthly", "Loyal20",
                "; did you mean loyal20, on com.example.pro.yearly? Upper and lower case count."
            ),
            ("com.example.pro.monthly", "x2", "."), ("com.example.pro.monthly", "comeback", "."),
            ("com.example.pro.monthly", "", "."),
        ]
    )
    func offers(productId: String, offerId: String, end: String) {
        #expect(detail(productId, offerId) == "The catalog has no offer \(offerId) on \(productId)\(end)")
    }

    @Test(
        "So is the product, else where the offer is",
        arguments: [
            (
                "com.example.Pro.monthly", "stay30",
                "; did you mean com.example.pro.monthly? Upper and lower case count."
            ),
            ("com.example.pro.montly", "stay30", "; did you mean com.example.pro.monthly?"),
            ("gone", "stay30", "; the offer is on com.example.pro.monthly."),
            (
                "gone", "summer",
                "; the offer is on com.example.audio.1, com.example.audio.2, com.example.audio.3 and others."
            ), ("gone", "gone", "."),
        ]
    )
    func products(productId: String, offerId: String, end: String) {
        #expect(detail(productId, offerId) == "The catalog has no product \(productId)\(end)")
    }
}

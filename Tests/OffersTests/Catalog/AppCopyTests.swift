import Offers
import Testing

@Suite("A copy of an app for an event loop")
struct AppCopyTests {
    // No field is what it would be by itself, so that one that is left out is seen; texts are too long to be inline.
    private let app = App(
        bundleId: "com.example.reader",
        environments: [.sandbox],
        requiresAccount: true,
        customerPattern: CustomerPattern("([a-z]+)"),
        maximumAccountsPerTransaction: 7,
        subscriptionGroups: [
            SubscriptionGroup(
                id: "21000000-0000-group",
                products: [
                    Product(
                        id: "com.example.reader.pro.monthly",
                        period: SubscriptionPeriod(iso8601: "P1M"),
                        level: 2,
                        offers: [
                            PromotionalOffer(
                                id: "an-offer-with-a-long-name",
                                audience: [.lapsed],
                                startsAt: Timestamp(millisecondsSince1970: 1),
                                endsAt: Timestamp(millisecondsSince1970: 2),
                                maxRedemptions: 3,
                                signatureLimit: SignatureLimit(maximumSignaturesPerCustomer: 4, periodDays: 5),
                                scope: .app,
                                fromProducts: ["com.example.reader.basic.monthly"],
                                minimumLapsedDays: 6,
                                maximumLapsedDays: 8,
                                afterRefund: .allow,
                                familyShared: .allow
                            )
                        ]
                    )
                ]
            )
        ]
    )

    @Test("says the same")
    func same() {
        let copy = app.copy()
        #expect(copy == app)
        #expect(copy.offers == app.offers)
        #expect(copy.product("com.example.reader.pro.monthly")?.product.offer("an-offer-with-a-long-name") != nil)
    }

    @Test("shares neither objects nor texts nor sets")
    func apart() throws {
        let copy = app.copy()
        #expect(copy !== app)
        let group = try #require(app.subscriptionGroups.first)
        let ofCopy = try #require(copy.subscriptionGroups.first)
        let product = try #require(group.products.first)
        let productOfCopy = try #require(ofCopy.products.first)
        let offer = try #require(product.offers.first)
        let offerOfCopy = try #require(productOfCopy.offers.first)
        #expect(group !== ofCopy)
        #expect(product !== productOfCopy)
        #expect(offer !== offerOfCopy)
        let fromProduct = try #require(offer.fromProducts?.first)
        let fromProductOfCopy = try #require(offerOfCopy.fromProducts?.first)
        let texts = [
            (app.bundleId, copy.bundleId), (group.id, ofCopy.id), (product.id, productOfCopy.id),
            (offer.id, offerOfCopy.id), (fromProduct, fromProductOfCopy),
        ]
        for (text, other) in texts {
            #expect(text == other)
            #expect(address(of: text) != address(of: other))
        }
    }

    private func address(of text: String) -> UnsafePointer<UInt8>? {
        var text = text
        return text.withUTF8 { $0.baseAddress }
    }
}

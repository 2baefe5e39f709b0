import LedgerFixtures
import OfferService
import Offers
import Testing

@Suite("Product reports")
struct ProductReportsTests {
    private func useCases(_ store: InMemoryProductReports) -> ProductReports {
        let products = [
            Product(
                id: "monthly",
                period: .months(1),
                offers: [PromotionalOffer(id: "stay"), PromotionalOffer(id: "back")]
            ),
            Product(id: "yearly", offers: [PromotionalOffer(id: "year")]),
        ]
        let app = App(bundleId: "reader", subscriptionGroups: [SubscriptionGroup(id: "1", products: products)])
        return ProductReports(apps: [app], store: store, now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) })
    }

    private func report(
        _ product: String = "monthly",
        _ price: String = "9.99",
        country: String = "DE",
        offers: [String] = [],
        introductory: Bool = false,
        currency: String = "EUR",
        symbol: String? = "€"
    ) throws -> ProductReport {
        let half = ObservedTerms(price: try #require(Price("4.99")), paymentMode: .payAsYouGo, unit: .month, count: 3)
        let names = offers.map(OfferName.promotional) + (introductory ? [.introductory] : [])
        return ProductReport(
            productId: product,
            country: try #require(CountryCode(country)),
            tag: PriceTag(
                price: try #require(Price(price)),
                currency: try #require(CurrencyCode(currency)),
                symbol: symbol
            ),
            offers: names.map { ReportedOffer(name: $0, terms: half) }
        )
    }

    private func germany(_ reports: [ProductReport], _ productIds: [String] = []) async throws -> ProductOverview {
        let useCases = useCases(InMemoryProductReports())
        #expect(try await useCases.save(reports, of: "reader")?.allSatisfy { $0 } == true)
        let germany = try #require(CountryCode("DE"))
        return try #require(await useCases.products(of: "reader", in: germany, productIds: productIds))
    }

    @Test("Each country has its own prices")
    func countries() async throws {
        let overview = try await germany([try report(), try report("monthly", "11.99", country: "FRA")])
        #expect(overview.products.map { $0.observed.prices.newest.value.price.text } == ["9.99"])
    }

    @Test("A symbol that a report leaves out stays known, of its currency, also at another price")
    func missingSymbol() async throws {
        func symbol(_ reports: ProductReport...) async throws -> String? {
            try await germany(reports).products.first?.observed.prices.newest.value.symbol
        }
        let known = try report()
        #expect(try await symbol(known, try report(symbol: nil)) == "€")
        #expect(try await symbol(known, try report("monthly", "8.99", symbol: nil)) == "€")
        #expect(try await symbol(known, try report(symbol: "EUR")) == "EUR")
        #expect(try await symbol(known, try report(currency: "USD", symbol: nil)) == nil)
        #expect(try await symbol(known, try report(currency: "USD", symbol: "$"), try report(symbol: nil)) == "€")
        #expect(try await symbol(try report(symbol: nil)) == nil)
    }

    @Test("An offer that a report leaves out stays known")
    func missingOffers() async throws {
        let overview = try await germany([try report(offers: ["stay"], introductory: true), try report()])
        #expect(overview.products.first?.offers.map(\.name) == [.introductory, .promotional("stay")])
        #expect(overview.products.first?.offers.map(\.terms.newest.count) == [1, 1])
        #expect(overview.products.first?.observed.prices.newest.count == 2)
    }

    @Test("Offers that no client saw are named, and so are those that the catalog lacks")
    func differences() async throws {
        let overview = try await germany([
            try report(offers: ["stay", "old"]), try report("gone", offers: ["x"]),
            try report("yearly", country: "FR", offers: ["year"]),
        ])
        #expect(overview.offers.neverSeen == [OfferRequest(productId: "monthly", offerId: "back")])
        #expect(
            overview.offers.notInCatalog == [
                OfferRequest(productId: "gone", offerId: "x"), OfferRequest(productId: "monthly", offerId: "old"),
            ]
        )
        #expect(overview.products.map { $0.catalog != nil } == [false, true])
    }

    @Test("There is no answer about an app that the catalog does not have, and nothing is kept")
    func unknownApp() async throws {
        let store = InMemoryProductReports()
        let useCases = useCases(store)
        let germany = try #require(CountryCode("DE"))
        #expect(try await useCases.save([try report()], of: "other") == nil)
        #expect(store.products(of: "other", in: germany).isEmpty)
        #expect(try await useCases.products(of: "other", in: germany) == nil)
        #expect(try await useCases.comparison(of: "other") == nil)
    }

    @Test("The offers of one product are bounded too: campaigns of other days make room, and prices are never put off")
    func manyOffers() async throws {
        let most = ObservedProduct.mostOffers
        let names = (0..<most).map { "offer\(100 + $0)" }
        let overview = try await germany([
            try report(offers: names), try report(offers: [names[0]]), try report("monthly", "8.99", offers: ["new"]),
        ])
        let product = try #require(overview.products.first)
        #expect(product.observed.prices.newest.value.price.text == "8.99")
        #expect(product.offers.count == most)
        #expect(product.offers.contains { $0.name == .promotional("new") })
    }

    @Test("Nothing is said to be saved where the product's price is in another currency by now")
    func currencies() async throws {
        let before = try report(offers: ["stay"])
        #expect(try await germany([before]).products.first?.offers.first?.saving != nil)
        let lira = try #require(CurrencyCode("TRY"))
        let tag = PriceTag(price: try #require(Price("79.99")), currency: lira, symbol: nil)
        let now = ProductReport(productId: "monthly", country: before.country, tag: tag, offers: [])
        let offer = try #require(try await germany([before, now]).products.first?.offers.first)
        #expect(offer.saving == nil)
        #expect(offer.terms.newest.value.currency?.code == "EUR")
    }
}

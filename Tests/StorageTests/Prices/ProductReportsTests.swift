import Offers
import Testing

@testable import Storage

@Suite("Product reports in a database")
struct ProductReportsTests {
    private func report(
        _ product: String,
        _ price: String,
        offers: [String] = [],
        symbol: String? = "€",
        periods: Int = 3
    ) throws -> ProductReport {
        let own = try #require(Price("0.50"))
        let terms = ObservedTerms(price: own, paymentMode: .payUpFront, unit: .week, count: periods)
        let names = [.introductory] + offers.map(OfferName.promotional)
        return ProductReport(
            productId: product,
            country: try #require(CountryCode("DEU")),
            tag: PriceTag(
                price: try #require(Price(price)),
                currency: try #require(CurrencyCode("EUR")),
                symbol: symbol
            ),
            offers: names.map { ReportedOffer(name: $0, terms: terms) }
        )
    }

    @Test(
        "Reports are there when the database is opened again, with their dates and counts",
        arguments: LedgerHome.allCases
    )
    func reopened(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        func open() throws -> Journal { try fixture.journal() }
        let moments = (0..<4).map { clock.adding(seconds: $0 * 60) }
        var expected = ObservedProduct(try report("monthly", "9.99", offers: ["stay"]), at: moments[0])
        #expect(
            try await open().save([report("monthly", "9.99", offers: ["stay"])], of: "app", at: moments[0]) == [true]
        )
        for (moment, price) in zip(moments[1...], ["11.00", "9.99", "12.50"]) {
            expected.record(try report("monthly", price, offers: ["back"], symbol: nil), at: moment)
            #expect(
                try await open().save([report("monthly", price, offers: ["back"], symbol: nil)], of: "app", at: moment)
                    == [true]
            )
        }
        let germany = try #require(CountryCode("DE"))
        let read = try #require(try await open().products(of: "app", in: germany).first)
        #expect(read.productId == "monthly")
        #expect(read.prices.newest.value.price.text == "12.50")
        #expect(read.prices.older.map(\.value.price.text) == expected.prices.older.map(\.value.price.text))
        #expect(read.prices.older.map(\.firstSeen) == expected.prices.older.map(\.firstSeen))
        #expect(read.prices.older.map(\.lastSeen) == expected.prices.older.map(\.lastSeen))
        #expect(read.prices.older.map(\.count) == expected.prices.older.map(\.count))
        #expect(read.prices.newest.value.symbol == "€")
        #expect(Set(read.offers.keys) == [.introductory, .promotional("stay"), .promotional("back")])
        #expect(read.offers[.promotional("back")]?.newest.value == expected.offers[.promotional("back")]?.newest.value)
        #expect(read.offers[.introductory]?.newest.count == 4)
        let seen = [OfferRequest(productId: "monthly", offerId: "stay"), .init(productId: "monthly", offerId: "back")]
        #expect(try await open().offersSeen(of: "app") == Set(seen))
        #expect(try await open().products(of: "other", in: germany).isEmpty)
        #expect(try await open().save([report("monthly", "1", symbol: nil)], of: "other", at: clock) == [true])
        let unsaid = try #require(try await open().products(of: "other", in: germany).first)
        #expect(unsaid.prices.newest.value.symbol == nil)
        #expect(try await open().products(of: "app", in: try #require(CountryCode("FR"))).isEmpty)
    }

    @Test("However many reports come at once, the server is asked a few times, and signing does not wait for them")
    func roundTrips() async throws {
        let proxy = try ServerProxy(to: try TestServer.makeDatabase())
        let database = try PostgreSQLDatabase(proxy.location)
        let store = try LedgerFixture(.postgresql, at: proxy.location).journal(in: database)
        let many = try (0..<500).map { try report("product \($0 % 300)", "1", offers: ["stay"]) }
        #expect(try await store.save(many.prefix(1).map(\.self), of: "app", at: clock) == [true])
        let before = proxy.answered
        #expect(try await store.save(many, of: "app", at: clock).count { $0 } == 500)
        // Each by itself would be as many as there are. The connections are looked after meanwhile, too: the more of that the
        // slower the machine is.
        #expect(proxy.answered - before < 300)
        let germany = try #require(CountryCode("DE"))
        let read = try await store.products(of: "app", in: germany)
        #expect(read.count == 300)
        #expect(read.first { $0.productId == "product 7" }?.prices.newest.count == 2)
        await database.close()
    }

    @Test("An app has room for so many products and offers, and no more", arguments: LedgerHome.allCases)
    func bounds(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.journal()
        let many = try (0..<ReportedProducts.mostEntries + 2).map { try report("product \($0)", "1") }
        let kept = try await store.save(many, of: "app", at: clock)
        #expect(kept.count { $0 } == ReportedProducts.mostEntries)
        #expect(kept.suffix(2) == [false, false])
        #expect(
            try await store.save([report("product 0", "2"), report("new", "2")], of: "app", at: clock) == [true, false]
        )
        let offers = (0...ObservedProduct.mostOffers).map { "offer \($0)" }
        #expect(try await store.save([report("product 1", "1", offers: offers)], of: "app", at: clock) == [false])
        #expect(try await store.save([report("product 1", "1", offers: offers)], of: "other", at: clock) == [false])
    }

    @Test("An offer that lasts longer than can be reckoned with is not read", arguments: LedgerHome.allCases)
    func periods(home: LedgerHome) async throws {
        let country = try #require(CountryCode("DEU"))
        for count in ["9223372036854775807", "1001", "0", "-1"] {
            let fixture = try LedgerFixture(home)
            let report = try report("monthly", "0.50", periods: 1000)
            #expect(try await fixture.journal().save([report], of: "app", at: fixture.now) == [true])
            #expect(try await fixture.journal().products(of: "app", in: country).count == 1)
            try fixture.execute(
                "UPDATE product_sightings SET body = replace(body, '\"periods\":1000', '\"periods\":\(count)')"
            )
            await #expect(throws: StorageFailure.self) {
                try await fixture.journal().products(of: "app", in: country)
            }
        }
    }
}

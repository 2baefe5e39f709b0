import LedgerFixtures
import OfferService
import Offers
import Testing

@testable import OfferAPI

/// A store that has room for nothing but what it has: the product that is called monthly.
private struct FullStore: ProductReportStore {
    func save(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(StorageFailure) -> [Bool] { reports.map { $0.productId == "monthly" } }

    func products(of bundleId: String, in country: CountryCode) async throws(StorageFailure) -> [ObservedProduct] { [] }

    func offersSeen(of bundleId: String) async throws(StorageFailure) -> Set<OfferRequest> { [] }
}

@Suite("Product reports over the wire")
struct ProductReportsTests {
    private let abc = Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["com.example.reader"])

    private func listener(
        _ client: Client,
        _ store: any ProductReportStore = InMemoryProductReports()
    ) -> TestListener {
        let product = Product(id: "monthly", period: .months(1), offers: [PromotionalOffer(id: "stay")])
        let group = SubscriptionGroup(id: "1", products: [product])
        let app = App(bundleId: "com.example.reader", subscriptionGroups: [group])
        let signing = SigningApp(app: app, signer: ConstantSigner())
        return TestListener(PublicEndpoints.test(client, apps: [signing], reports: store))
    }

    private static func reports(_ body: String) -> TestRequest { TestRequest("/v1/product-reports", body) }

    private static func products(_ query: String) -> TestRequest {
        TestRequest("/v1/products?\(query)", "", method: "GET")
    }

    private static let promotion = """
        {"promotion_price":4.99,"promotion_period":2,"discount_type":1,"promotion_type":0,"promotion_code":"stay",\
        "promotion_time":3}
        """

    /// So many offers, each of its own name.
    private static func promotions(_ count: Int) -> String {
        (0..<count).map { promotion.replacing("stay", with: "stay\($0)") }.joined(separator: ",")
    }

    private static func report(_ changes: (String, String)...) -> String {
        var text = """
            {"product_id":"monthly","price":9.99,"country_code":"DEU","currency_code":"EUR","symbol":"€",\
            "promotion":[\(promotion)]}
            """
        for (old, new) in changes { text = text.replacing(old, with: new) }
        return text
    }

    private func take(_ body: String) async throws -> String { try await listener(abc).ask(Self.reports(body)).body }

    @Test("One report, an array, and an empty array")
    func forms() async throws {
        #expect(try await take(Self.report()) == #"{"accepted":1,"rejected":[]}"#)
        #expect(try await take("[\(Self.report()),\(Self.report())]") == #"{"accepted":2,"rejected":[]}"#)
        #expect(try await take("[]") == #"{"accepted":0,"rejected":[]}"#)
    }

    @Test(
        "A report at fault is refused alone, with a pointer to its fault",
        arguments: [
            (("9.99", "9.990000000000000512"), "invalid_value", "/price: "),
            (("9.99", "-1"), "invalid_value", "/price: "),
            (("9.99", "1e1"), "invalid_value", "/price: "), (("9.99", "true"), "invalid_value", "/price: "),
            (("\"price\":9.99,", ""), "missing_member", "/price: "),
            (("DEU", "GER"), "invalid_value", "/country_code: "),
            (("EUR", "EURO"), "invalid_value", "/currency_code: "), (("symbol", "sign"), "unknown_member", "/sign: "),
            (("\"promotion_period\":2", "\"promotion_period\":4"), "invalid_value", "/promotion/0/promotion_period: "),
            (("\"promotion_type\":0", "\"promotion_type\":2"), "invalid_value", "/promotion/0/promotion_price: "),
            (
                ("\"promotion_code\":\"stay\"", "\"promotion_code\":\"\""), "missing_member",
                "/promotion/0/promotion_code: "
            ),
            (("\"promotion_time\":3", "\"promotion_time\":0"), "invalid_value", "/promotion/0/promotion_time: "),
            (("\"discount_type\":1", "\"discount_type\":2"), "invalid_value", "/promotion/0/discount_type: "),
            ((promotion, promotion + "," + promotion), "invalid_value", "/promotion/1: "),
            // What PostgreSQL cannot keep is refused in any database.
            (("€", "\\u0000"), "invalid_value", "/symbol: "),
            (("monthly", "monthly\\u0000"), "invalid_value", "/product_id: "),
            (("\"stay\"", "\"stay\\u0000\""), "invalid_value", "/promotion/0/promotion_code: "),
            (("€", String(repeating: "€", count: 11)), "invalid_value", "/symbol: "),
            ((promotion, promotions(26)), "invalid_value", "/promotion/25: "),
            ((report(), "7"), "wrong_type", "Expected"),
        ] as [((String, String), String, String)]
    )
    func faults(change: (String, String), code: String, start: String) async throws {
        let answer = try await take("[\(Self.report()),\(Self.report(change)),\(Self.report())]")
        let expected = #"{"accepted":2,"rejected":[{"index":1,"code":"\#(code)","detail":"\#(start)"#
        #expect(answer.hasPrefix(expected), "\(answer)")
    }

    @Test("A report that there is no room for is rejected in its place, and not counted as accepted")
    func noRoom() async throws {
        let other = Self.report(("monthly", "yearly"))
        let body = "[\(other),\(Self.report(("9.99", "-1"))),\(other),\(Self.report())]"
        let text = try await listener(abc, FullStore()).ask(Self.reports(body)).body
        #expect(text.hasPrefix(#"{"accepted":1,"#))
        #expect(
            text.matches(of: /"index":(\d),"code":"(\w+)"/).map { "\($0.1) \($0.2)" } == [
                "0 no_room", "1 invalid_value", "2 no_room",
            ]
        )
    }

    @Test("A report may have 25 offers and a symbol of 32 bytes, a call a thousand reports, and no more")
    func most() async throws {
        let symbol = String(repeating: "€", count: 10) + "ab"
        let most = Self.report((Self.promotion, Self.promotions(25)), ("€", symbol))
        #expect(try await take(most) == #"{"accepted":1,"rejected":[]}"#)
        func call(_ count: Int) -> String { "[\(Array(repeating: "0", count: count).joined(separator: ","))]" }
        #expect(try await take(call(1000)).hasPrefix(#"{"accepted":0,"#))
        #expect(try await listener(abc).ask(Self.reports(call(1001))).member("pointer") == "/1000")
    }

    @Test("A price may be a string; a symbol, promotions and the code of an introductory offer may be left out")
    func optional() async throws {
        #expect(try await take(Self.report(("9.99", "\"9.99\""))).contains("\"accepted\":1"))
        #expect(try await take(Self.report((#","symbol":"€""#, ""))).contains("\"accepted\":1"))
        #expect(try await take(Self.report(("[\(Self.promotion)]", "null"))).contains("\"accepted\":1"))
        let introductory = Self.report(("\"discount_type\":1", "\"discount_type\":0"), ("\"stay\"", "null"))
        #expect(try await take(introductory).contains("\"accepted\":1"))
    }

    @Test("A body that is no JSON, or without reports, is a problem")
    func malformed() async throws {
        for body in ["", "[", "7", "[{]", Self.report() + "x"] {
            #expect(try await listener(abc).ask(Self.reports(body)).status == 400, "\(body)")
        }
    }

    @Test("A landing page gets price, parts, offers, savings, and when all was seen")
    func answer() async throws {
        let listener = listener(abc)
        let taken = try await listener.ask(Self.reports(Self.report()))
        #expect(taken.status == 202)
        #expect(
            try await listener.ask(Self.products("countryCode=DE")).body == """
                {"bundleId":"com.example.reader","countryCode":"DE","products":[{"productId":"monthly","inCatalog":true,\
                "price":"9.99","priceParts":{"whole":"9","fraction":"99"},"currencyCode":"EUR","symbol":"€",\
                "period":"P1M","firstSeenAt":"2026-11-21T12:00:00Z","lastSeenAt":"2026-11-21T12:00:00Z","timesSeen":1,\
                "olderPrices":[],"offers":[{"offerId":"stay","inCatalog":true,"type":"promotional",\
                "paymentMode":"payAsYouGo","price":"4.99","priceParts":{"whole":"4","fraction":"99"},\
                "currencyCode":"EUR","periodUnit":"month","numberOfPeriods":3,"duration":"P3M","saved":{"perPeriod":"5.00",\
                "perPeriodParts":{"whole":"5","fraction":"00"},"percent":50},"firstSeenAt":"2026-11-21T12:00:00Z",\
                "lastSeenAt":"2026-11-21T12:00:00Z","timesSeen":1,"older":[]}]}],"unknownProducts":[],\
                "offersNeverSeen":[],"offersNotInCatalog":[]}
                """
        )
    }

    @Test(
        "Parameters are as strict as members",
        arguments: [
            ("", "invalid_parameter"), ("countryCode=XX", "invalid_parameter"),
            ("countryCode=DE&countryCode=FR", "invalid_parameter"), ("countryCode=DE&country=FR", "invalid_parameter"),
            ("countryCode=DE&bundleId=other", "app_not_allowed"), ("countryCode=DE&bundleId=", "invalid_parameter"),
            ("countryCode=DE&productId=", "invalid_parameter"), ("countryCode=DE&productId", "invalid_parameter"),
            ("countryCode=DE&productId=%zz", "invalid_parameter"), ("countryCode=DE&productId=%4", "invalid_parameter"),
            ("countryCode=DE&productId=%ff", "invalid_parameter"), ("countryCode=DE&%ff=a", "invalid_parameter"),
        ]
    )
    func parameters(query: String, code: String) async throws {
        #expect(try await listener(abc).ask(Self.products(query)).member("code") == code)
    }

    @Test("Parameters are percent-encoded, their names too")
    func encoding() throws {
        let parameters = try QueryParameters(
            of: "&product%49d=a%3D1%26%C3%A9+b&productId=c=d",
            names: ["bundleId", "countryCode", "productId"]
        )
        #expect(parameters.values(of: "productId") == ["a=1&é+b", "c=d"])
    }
}

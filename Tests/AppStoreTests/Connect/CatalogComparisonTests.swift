import Foundation
import Offers
import Testing

@testable import AppStore

@Suite("Comparing a catalog with App Store Connect")
struct CatalogComparisonTests {
    private typealias Connect = ScriptedConnect

    /// A catalog of one group, and what App Store Connect has; with the differences that follow.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var group = "100"
        var appAppleId: Int64? = 77
        var product = Product(id: "monthly", offers: [PromotionalOffer(id: "half")])
        var products = [Connect.product("monthly", offers: ["o"])]
        var included = [Connect.offer("half", resource: "o")]
        var more: [String: String] = [:]
        var retention: RetentionRule.Proposal = .message
        var retentionOf: Set<String>?
        var withPrices = false
        let codes: [String]

        /// The words that are in the first difference.
        var words = ""

        init(_ name: String, _ codes: [String], words: String = "", _ change: (inout Case) -> Void = { _ in }) {
            testDescription = name
            self.codes = codes
            self.words = words
            change(&self)
        }
    }

    private static func offers(_ ids: String...) -> Product {
        Product(id: "monthly", offers: ids.map { PromotionalOffer(id: $0) })
    }

    private static let prices = "/v1/subscriptionPromotionalOffers/o/prices"

    private static func price(_ territory: String, hasPoint: Bool = true) -> String {
        let point = hasPoint ? #","subscriptionPricePoint":{"data":{"type":"subscriptionPricePoints","id":"p"}}"# : ""
        return #"""
            {"type":"subscriptionPromotionalOfferPrices","id":"p-\#(territory)","relationships":{"territory":
            {"data":{"type":"territories","id":"\#(territory)"}}\#(point)}}
            """#
    }

    private static let sold = [
        "/v1/subscriptions/r-monthly/subscriptionAvailability":
            #"{"data":{"type":"subscriptionAvailabilities","id":"a"}}"#,
        "/v1/subscriptionAvailabilities/a/availableTerritories":
            #"{"data":[{"type":"territories","id":"DEU"},{"type":"territories","id":"USA"}]}"#,
    ]

    /// Another group, with its products.
    private static func second(_ products: String...) -> [String: String] {
        let groups = ["100", "200"].map { #"{"type":"subscriptionGroups","id":"\#($0)"}"# }
        return [
            "/v1/apps/77/subscriptionGroups": Connect.list(groups),
            "/v1/subscriptionGroups/200/subscriptions": Connect.list(products),
        ]
    }

    static let cases: [Case] = [
        Case("nothing differs", []),
        Case("no such product", ["product_not_found", "product_not_in_catalog"], words: "no such product") {
            $0.product = Product(id: "weekly", offers: [PromotionalOffer(id: "half")])
        },
        Case("a product in other case", ["product_not_found", "product_not_in_catalog"], words: "monthly") {
            $0.product = Product(id: "Monthly", offers: [PromotionalOffer(id: "half")])
        },
        Case("removed from sale", ["product_not_for_sale"], words: "DEVELOPER_REMOVED_FROM_SALE") {
            $0.products = [Connect.product("monthly", state: "DEVELOPER_REMOVED_FROM_SALE", offers: ["o"])]
        },
        Case("a state that nobody knows", ["product_not_for_sale"]) {
            $0.products = [Connect.product("monthly", state: nil, offers: ["o"])]
        },
        Case("no such offer", ["offer_not_found", "offer_not_in_catalog"], words: "which has half") {
            $0.product = offers("third")
        },
        Case("an offer in other case", ["offer_id_in_other_case"], words: "half") { $0.product = offers("HALF") },
        Case("an offer of another product", ["offer_of_another_product", "product_not_in_catalog"], words: "yearly") {
            $0.products = [Connect.product("monthly"), Connect.product("yearly", offers: ["o"])]
        },
        Case("a win-back offer", ["offer_of_another_kind", "offer_not_in_catalog"], words: "win-back") {
            $0.product = offers("back")
            $0.products = [Connect.product("monthly", offers: ["o"], winBacks: ["w"])]
            $0.included.append(Connect.winBack("back", resource: "w"))
        },
        Case("an offer with codes", ["offer_of_another_kind", "offer_not_in_catalog"], words: "code") {
            $0.product = offers("coded")
            let code = #"{"type":"subscriptionOfferCodes","id":"c","attributes":{"name":"coded"}}"#
            $0.more["/v1/subscriptions/r-monthly/offerCodes"] = Connect.list([code])
        },
        Case("an offer that the catalog lacks", ["offer_not_in_catalog"], words: "3 times ONE_MONTH") {
            $0.product = Product(id: "monthly")
        },
        Case("another Apple ID", ["app_apple_id_differs"], words: "78") { $0.appAppleId = 78 },
        Case("no Apple ID", []) { $0.appAppleId = nil },
        Case("a group that is not there", ["group_not_found"], words: "group 100") { $0.group = "999" },
        Case("another group", ["product_in_another_group"], words: "in 100") {
            $0.group = "200"
            $0.more = second()
        },
        Case("another level and period", ["level_differs", "period_differs"], words: "level is 2") {
            $0.product = Product(id: "monthly", period: .months(12), level: 2, offers: [PromotionalOffer(id: "half")])
        },
        Case("an offer for the other plan", ["offer_for_monthly_plan"]) {
            $0.included = [Connect.offer("half", resource: "o", plan: "MONTHLY")]
        },
        Case("a family that cannot share", ["family_sharing_off"]) {
            $0.product = Product(id: "monthly", offers: [PromotionalOffer(id: "half") { $0.familyShared = .allow }])
        },
        Case("win-back offers", ["win_back_ended", "win_back_link_differs", "win_back_not_found"]) {
            let links = ["https://apps.apple.com/win-back/w1", nil, "https://other.example"]
            $0.product = Product(
                id: "monthly",
                offers: [PromotionalOffer(id: "half")],
                winBackOffers: zip(["fine", "old", "linked"], links).map { WinBackOffer(id: $0, url: $1) }
                    + [WinBackOffer(id: "none", url: nil)]
            )
            $0.products = [Connect.product("monthly", offers: ["o"], winBacks: ["w1", "w2", "w3"])]
            $0.included += [
                Connect.winBack("fine", resource: "w1", end: "2099-01-01"),
                Connect.winBack("old", resource: "w2", end: "2020-01-01"), Connect.winBack("linked", resource: "w3"),
            ]
        },
        Case("a price nowhere", ["offer_without_price"]) {
            $0.withPrices = true
            $0.more = sold.merging([prices: Connect.list([price("USA", hasPoint: false)])]) { $1 }
        },
        Case("a price not everywhere", ["offer_not_sold_everywhere"], words: "1 of the 2") {
            $0.withPrices = true
            $0.more = sold.merging([prices: Connect.list([price("USA")])]) { $1 }
        },
        Case("a free offer needs no price point", []) {
            $0.withPrices = true
            $0.included = [Connect.offer("half", resource: "o", mode: "FREE_TRIAL")]
            let places = ["DEU", "USA"].map { price($0, hasPoint: false) }
            $0.more = sold.merging([prices: Connect.list(places)]) { $1 }
        },
        Case(
            "storefronts that are none, and without a price",
            ["storefront_not_found", "storefront_without_price"],
            words: "XXX"
        ) {
            let offer = PromotionalOffer(id: "half") { $0.storefronts = ["USA", "XXX", "DEU"] }
            $0.product = Product(id: "monthly", offers: [offer])
            $0.withPrices = true
            $0.more = [
                prices: Connect.list([price("USA")]),
                "/v1/territories": #"{"data":[{"type":"territories","id":"DEU"},{"type":"territories","id":"USA"}]}"#,
            ]
        },
        Case("a retention rule's product that is not for sale", ["retention_product_not_for_sale"]) {
            $0.retention = .switchTo(productId: "gone", billingPlanType: nil)
        },
        Case("a retention rule across groups", ["retention_product_in_another_group", "product_not_in_catalog"]) {
            $0.retention = .switchTo(productId: "monthly", billingPlanType: nil)
            $0.retentionOf = ["yearly"]
            $0.more = second(Connect.product("yearly"))
        },
        Case("a retention rule's plan that the product lacks", ["retention_plan_not_found"], words: "P1M") {
            $0.retention = .switchTo(productId: "monthly", billingPlanType: .monthly)
        },
    ]

    @Test("Each difference is told by its code, worst first", arguments: cases)
    func differences(_ the: Case) async throws {
        let transport = Connect.app(products: the.products, included: the.included, more: the.more)
        let connect = AppStoreConnect(over: transport)
        let app = App(bundleId: "b", subscriptionGroups: [SubscriptionGroup(id: the.group, products: [the.product])])
        var theirs = try #require(try await connect.catalog(of: "b") { _, _ in })
        try await connect.addDetails(to: &theirs, of: app, withPrices: the.withPrices) { _ in }
        let message = RetentionMessage(name: "stay", standard: "00000000-0000-4000-8000-000000000001")
        let found = CatalogComparison.differences(
            of: app,
            appAppleId: the.appAppleId,
            retention: [RetentionRule(products: the.retentionOf, proposal: the.retention, message: message)],
            from: theirs,
            at: .testNow
        )
        #expect(found.map(\.code) == the.codes)
        #expect(the.words.isEmpty || found.first?.detail.contains(the.words) == true, "\(found)")
        for difference in found {
            #expect(!difference.fix.isEmpty && difference.bundleId == "b")
            let rows = try Self.page().split(separator: "\n").filter { $0.contains("| `\(difference.severity):` |") }
            #expect(rows.contains { $0.contains("`\(difference.code)`") }, "deploy/app-store.md has it in another row")
        }
    }

    private static func page() throws -> String {
        let file = URL(filePath: #filePath).appending(path: "../../../../deploy/app-store.md").standardized
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test("Offers are counted as not to be bought by the codes that say so, and a product without offers is none")
    func severities() {
        func found(_ offers: [PromotionalOffer]) -> [CatalogDifference.Severity] {
            let product = Product(id: "monthly", offers: offers)
            let app = App(bundleId: "b", subscriptionGroups: [SubscriptionGroup(id: "100", products: [product])])
            let empty = ConnectCatalog(bundleId: "b", name: nil, appAppleId: "77")
            return CatalogComparison.differences(of: app, appAppleId: nil, retention: [], from: empty, at: .testNow)
                .map(\.severity)
        }
        #expect(found([PromotionalOffer(id: "half")]) == [.error])
        #expect(found([]) == [.warning])
    }

    @Test("An app that the key's team does not have is the one difference")
    func noApp() {
        let app = App(bundleId: "b", subscriptionGroups: [])
        let found = CatalogComparison.differences(of: app, appAppleId: 1, retention: [], from: nil, at: .testNow)
        #expect(found.map(\.code) == ["app_not_found"])
    }
}

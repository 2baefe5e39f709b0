import Foundation
import StoreKitConfiguration
import Testing

@Suite("Xcode's StoreKit configuration file")
struct StoreKitFileTests {
    /// Files of Xcode's form: one that was never synchronised, one that was, one with billing plans.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/storekit")

    private static func file(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: "\(name).storekit"))
    }

    /// A file with one text of it replaced.
    private static func file(_ name: String, _ old: String, _ new: String) throws -> Data {
        let text = String(decoding: try file(name), as: UTF8.self)
        try #require(text.contains(old))
        return Data(text.replacing(old, with: new, maxReplacements: 1).utf8)
    }

    @Test("Products, levels, periods, prices and offers of a local file are read; its ids mean nothing to Apple")
    func local() throws {
        let file = try StoreKitFile(json: Self.file("local"))
        #expect(file.synchronisation == nil && file.hasKeyPair && file.version.major == 3)
        #expect(file.subscriptionGroups.map(\.name) == ["Pro", "Audio"])
        #expect(file.products.map(\.groupNumber) == [2, 1, 1, 1])
        #expect(file.products.map(\.recurringSubscriptionPeriod.text) == ["P1Y", "P1M", "P1W", "P2M"])
        #expect(file.products.map(\.price) == ["49.99", "4.99", nil, "4"])
        #expect(file.products.map(\.codes) == [0, 1, 0, 0] && file.products.map(\.introductory.count) == [0, 1, 0, 0])
        let offers = file.products.flatMap(\.promotionalOffers)
        #expect(offers.map(\.offerID) == ["stay", "stay", "half"])
        #expect(offers.map(\.terms.paymentMode) == [.payUpFront, .free, .payAsYouGo])
        // One number of periods is left out, and the price of the free one is left over.
        #expect(offers.map(\.terms.periods) == [1, 1, 3] && offers.map(\.terms.price) == ["24.99", nil, "2.5"])
    }

    @Test("A file that was synchronised has the app's id, and says when")
    func synchronised() throws {
        let file = try StoreKitFile(json: Self.file("synchronised"))
        // `date -u -d '2001-01-01 UTC + 798000000 seconds' +%s`
        #expect(file.synchronisation?.appAppleId == 6_500_000_001)
        #expect(file.synchronisation?.secondsSince1970 == 1_776_307_200)
        #expect(file.products[0].winBackOffers.map(\.offerID) == ["return"] && !file.hasKeyPair)
    }

    @Test(
        "A file that only looks synchronised is a local one",
        arguments: [
            (#""6500000001""#, #""team.app""#), (#""6500000001""#, "6500000001"), ("798000000.5", "0"),
            ("798000000.5", "null"), ("798000000.5", "-1"), ("798000000.5", "1e300"),
            (#""id": "21400002""#, #""id": "2140000A""#), (#""internalID": "6500000011""#, #""internalID": "65AB""#),
            (#""_applicationInternalID""#, #""_other""#),
        ]
    )
    func faked(old: String, new: String) throws {
        #expect(try StoreKitFile(json: Self.file("synchronised", old, new)).synchronisation == nil)
    }

    @Test("An introductory offer that is there twice counts once; an offer tells the plan that it is for")
    func plans() throws {
        let product = try #require(try StoreKitFile(json: Self.file("plans")).products.first)
        #expect(product.introductory.count == 1 && product.monthlyPrice == "4.5" && product.price == "48.00")
        #expect(product.promotionalOffers.map(\.terms.isForMonthlyPlan) == [false, true])
    }

    private static let product = "/subscriptionGroups/0/subscriptions/1"

    @Test(
        "Another form, and an id that is there twice, are faults that name the place",
        arguments: [
            ("\"major\": 3,\n", "", "/version/major"), ("\"major\": 3", "\"major\": 0", "/version/major"),
            ("\"subscriptionGroups\"", "\"groups\"", "/subscriptionGroups"),
            ("\"version\": {", "\"version\": 3, \"other\": {", "/version"),
            ("\"id\": \"70A1B2D4\"", "\"id\": \"70A1B2C3\"", "/subscriptionGroups/1/id"),
            ("pro.monthly", "pro.yearly", "\(product)/productID"),
            ("audio.monthly", "pro.yearly", "/subscriptionGroups/1/subscriptions/0/productID"),
            ("\"offerID\": \"half\"", "\"offerID\": \"stay\"", "\(product)/adHocOffers/1/offerID"),
            ("\"offerID\": \"half\"", "\"offerID\": \"\"", "\(product)/adHocOffers/1/offerID"),
            ("\"payAsYouGo\"", "\"payLater\"", "\(product)/adHocOffers/1/paymentMode"),
            ("\"P1M\"", "\"1 month\"", "\(product)/adHocOffers/0/subscriptionPeriod"),
            ("\"displayPrice\": \"4.99\"", "\"displayPrice\": 4.99", "\(product)/displayPrice"),
            ("\"displayPrice\": \"4.99\"", "\"displayPrice\": \"4,99\"", "\(product)/displayPrice"),
            ("\"groupNumber\": 2", "\"groupNumber\": 0", "/subscriptionGroups/0/subscriptions/0/groupNumber"),
            ("\"groupNumber\": 2", "\"groupNumber\": 1.5", "/subscriptionGroups/0/subscriptions/0/groupNumber"),
            ("\"major\": 3", "\"major\": 3.5", "/version/major"),
            ("{\n", "", ""),
        ]
    )
    func faults(old: String, new: String, place: String) throws {
        let fault = try #require(throws: StoreKitFileFault.self) {
            try StoreKitFile(json: try Self.file("local", old, new))
        }
        #expect(fault.place == place, "\(fault)")
        #expect(!fault.detail.isEmpty && !fault.detail.contains("bm90"))
    }

    @Test("Ids are compared byte for byte: two forms of one letter are two ids")
    func bytes() throws {
        let text = String(decoding: try Self.file("local"), as: UTF8.self)
        let twin = text.replacing("pro.yearly\"", with: "pro.\u{E9}\"")
            .replacing("pro.weekly\"", with: "pro.e\u{301}\"")
        #expect(try StoreKitFile(json: Data(twin.utf8)).products.count == 4)
    }
}

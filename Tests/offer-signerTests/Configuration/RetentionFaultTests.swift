import OfferService
import Offers
import Testing

@testable import offer_signer

/// Each way to get an app's `retention` wrong is one fault, at its line and key path.
@Suite("The catalog's retention section")
struct RetentionFaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let old: String
        let new: String
        /// What the one fault begins with, after `catalog.yaml:`.
        let place: String
        let fragment: String

        init(_ old: String, _ new: String, _ place: String, _ fragment: String) {
            self.old = old
            self.new = new
            self.place = place
            self.fragment = fragment
        }

        var testDescription: String { "\(old) -> \(new)" }
    }

    private static let retention = """
        apps:
          - bundleId: com.example.reader
            appAppleId: 1234567890
            keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }]
            issuerId: 57246542-96fe-1a63-e053-0824d011072a
            subscriptionGroups:
              - id: "20900001"
                products:
                  - { id: pro.monthly, offers: [{ id: stay30 }] }
                  - { id: pro.yearly, offers: [{ id: capped, maximumSignaturesPerCustomer: 1 }, { id: yearly20 }] }
              - { id: "20900002", products: [{ id: news.monthly }] }
            retention:
              messages:
                stay: { default: 11111111-2222-4333-8444-555555555555, de: 21111111-2222-4333-8444-555555555555 }
                plain: { default: 41111111-2222-4333-8444-555555555555 }
              rules:
                - { products: [pro.monthly], offer: stay30, message: stay }
                - { products: [pro.yearly], switchTo: pro.monthly, billingPlanType: MONTHLY, message: plain }
                - { products: [pro.monthly], offer: yearly20, offerProduct: pro.yearly, message: stay }
                - { message: plain }

        """

    private static let rules = "apps[0].retention.rules"

    private func fixture(_ old: String = "", _ new: String = "", in file: String = "catalog.yaml") throws
        -> ConfigurationFixture
    {
        var catalog = Self.retention
        if file == "catalog.yaml", !old.isEmpty {
            try #require(catalog.ranges(of: old).count == 1, "\(old)")
            catalog = catalog.replacing(old, with: new)
        }
        var edits = [
            ConfigurationFixture.Edit("catalog.yaml", ConfigurationFixture.catalog, catalog)
        ]
        if file != "catalog.yaml" { edits.append(.init(file, old, new)) }
        return try ConfigurationFixture(edits)
    }

    @Test("As the reference shows it, it is in order")
    func isInOrder() throws {
        let loaded = try fixture().load()
        #expect(loaded.apps.first?.retention?.inOrder.count == 4)
        #expect(loaded.retentionTimeoutMilliseconds == 500)
        #expect(try !fixture().warnings().contains { $0.contains("retention") })
    }

    @Test(arguments: messages + named + needed)
    func isOneFaultAtItsPlace(_ wrong: Case) throws {
        let faults = try fixture(wrong.old, wrong.new).faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix("catalog.yaml:\(wrong.place): ") == true, "\(faults)")
        #expect(faults.first?.contains(wrong.fragment) == true, "\(faults)")
    }

    private static let messages: [Case] = [
        .init("stay: { default: 1", "stay: { de-DE: 1", "14: apps[0].retention.messages.stay", "has no default"),
        .init(
            "stay: { default: 11111111-2222-4333-8444-555555555555",
            "stay: { default: stay-message",
            "14: apps[0].retention.messages.stay.default",
            ": is not a message identifier"
        ),
        .init(", de: 2", ", de_DE: 2", "14: apps[0].retention.messages.stay.de_DE", "is not a locale"),
        .init(", de: 2", ", german: 2", "14: apps[0].retention.messages.stay.german", "is not a locale"),
        .init(", de: 2", ", default: 2", "14", "\"default\" is given twice"),
    ]

    private static let named: [Case] = [
        .init(
            "stay30, message: stay }",
            "stay30, message: stya }",
            "17: \(rules)[0].message",
            "did you mean \"stay\"?"
        ),
        .init("offer: stay30,", "offer: stay3,", "17: \(rules)[0].offer", "did you mean \"stay30\"?"),
        .init("offer: stay30,", "offer: yearly,", "17: \(rules)[0].offer", "is no offer of \"pro.monthly\" in"),
        .init(
            "[pro.yearly], switchTo",
            "[pro.yaerly], switchTo",
            "18: \(rules)[1].products[0]",
            "did you mean \"pro.yearly\"?"
        ),
        .init(
            "switchTo: pro.monthly",
            "switchTo: news.monthly",
            "18: \(rules)[1].switchTo",
            "is in another group than \"pro.yearly\""
        ),
        .init("switchTo: pro.monthly", "switchTo: pro.yearly", "18: \(rules)[1].switchTo", "is one of the products"),
        .init("switchTo: pro.monthly", "switchTo: pro.weekly", "18: \(rules)[1].switchTo", "is no product of this app"),
        .init("switchTo: pro.monthly, ", "", "18: \(rules)[1].billingPlanType", "says how the other product is paid"),
        .init(
            "billingPlanType: MONTHLY",
            "billingPlanType: monthly",
            "18: \(rules)[1].billingPlanType",
            "known here: BILLED_UPFRONT, MONTHLY"
        ),
        .init(
            "offerProduct: pro.yearly",
            "offerProduct: news.monthly",
            "19: \(rules)[2].offerProduct",
            "is in another group"
        ),
        .init(
            "offer: yearly20, offerProduct",
            "offerProduct",
            "19: \(rules)[2].offerProduct",
            "add offer, or remove this"
        ),
        .init(
            "offer: yearly20,",
            "offer: yearly20, switchTo: pro.yearly,",
            "19: \(rules)[2].switchTo",
            "write two rules"
        ),
        .init("- { message: plain }", "- { products: [] , message: plain }", "20: \(rules)[3].products", "is empty"),
        .init("- { message: plain }", "- { products: [news.monthly] }", "20: \(rules)[3].message", "is missing"),
    ]

    private static let needed: [Case] = [
        .init("    appAppleId: 1234567890\n", "", "11: apps[0].retention", "needs appAppleId"),
        .init(
            "    issuerId: 57246542-96fe-1a63-e053-0824d011072a\n",
            "",
            "11: apps[0].retention",
            "needs the issuerId"
        ),
    ]

    @Test("Without the listener that Apple calls it is at fault")
    func needsNotifications() throws {
        let faults = try fixture("notifications: { host: 0.0.0.0, port: 8081 }\n", "", in: "offer-signer.yaml").faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.contains("needs the listener that Apple calls") == true)
    }

    @Test("A rule that is never reached is a warning, and so is an offer with a cap on signatures")
    func warnings() throws {
        func warnings(_ old: String, _ new: String) throws -> [String] {
            try fixture(old, new).warnings().filter { $0.contains("retention") }
        }
        let first = try warnings(
            "    - { products: [pro.monthly], offer: stay30",
            "    - { message: plain }\n        - { products: [pro.monthly], offer: stay30"
        )
        #expect(first.count == 4, "\(first)")
        #expect(first.allSatisfy { $0.contains("never applies") })
        // Each of its products has an answer by then.
        let twice = try warnings("- { message: plain }", "- { products: [pro.yearly, pro.monthly], message: plain }")
        #expect(twice.isEmpty, "\(twice)")
        let covered = try warnings("- { message: plain }", "- { products: [pro.yearly], message: plain }")
        #expect(covered.count == 1, "\(covered)")
        #expect(covered.first?.hasPrefix("catalog.yaml:20: \(Self.rules)[3]: never applies") == true)
        let capped = try warnings("offer: yearly20,", "offer: capped,")
        #expect(capped.count == 1, "\(capped)")
        #expect(capped.first?.contains("19: \(Self.rules)[2].offer: has maximumSignaturesPerCustomer") == true)
    }

    @Test("No client has the name under which the ledger keeps Apple's calls")
    func reservedName() throws {
        let faults = try fixture("name: reader-backend", "name: retention", in: "clients.yaml").faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.contains("clients[0].name: is the ledger's name for Apple's calls") == true)
    }
}

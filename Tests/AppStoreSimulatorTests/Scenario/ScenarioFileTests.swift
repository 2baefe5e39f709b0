import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("app-store.yaml")
struct ScenarioFileTests {
    private func load(_ yaml: String) throws -> AppStoreWorld {
        let directory = FileManager.default.temporaryDirectory
        return try ScenarioReader(directory: directory).world(try ScenarioFile(directory: directory).root(of: yaml))
    }

    private let app = """
        bundleId: a
        subscriptionGroups: [{ id: g, products: [{ id: p, offers: [{ id: o }] }, { id: q }, { id: y, period: P1Y, monthlyPrice: 1, offers: [{ id: o }] }] }]
        """

    private func file(_ app: String, _ customers: String = "[]") -> String {
        let indented = app.split(separator: "\n").joined(separator: "\n    ")
        return "apps:\n  - \(indented)\ncustomers: \(customers)\n"
    }

    @Test("It is written at the first start, read from then on, and has a customer in every state")
    func builtIn() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try SimulatedAppStore(directory: directory)
        let statuses = store.current().customers.all.flatMap(\.subscriptions).map(\.status)
        #expect(Set(statuses) == [1, 2, 3, 4, 5])
        #expect(store.current().app("com.example.reader")?.keys["EXAMPLE123"] != nil)
        let url = directory.appending(path: "app-store.yaml")
        var text = try String(contentsOf: url, encoding: .utf8)
        text.replace("name: newcomer", with: "name: somebody")
        try Data(text.utf8).write(to: url)
        #expect(try SimulatedAppStore(directory: directory).current().customer("somebody") != nil)
    }

    @Test(
        "Every fault names its place and its mend",
        arguments: [
            ("{}", "has no apps"), ("apps: []\ncolour: red", "colour is not known"), ("apps: {}", "is not a list"),
            ("apps: [", "is not YAML"), ("", "is empty"), ("apps: []\napps: []", "given twice"),
            ("apps: []\nclock: soon", ":2: clock is \"soon\""),
            ("apps: []\nclock: 1999-01-01T00:00:00Z", "2020 to 2040"),
        ]
    )
    func roots(yaml: String, message: String) throws {
        let fault = #expect(throws: SimulatorFault.self) { try load(yaml) }
        #expect(fault?.description.contains(message) == true, "\(fault?.description ?? "")")
        #expect(fault?.description.contains("app-store.yaml") == true)
    }

    @Test(
        "Every fault of an app",
        arguments: [
            ("gracePeriodDays: 99", "apps[0].gracePeriodDays"), ("appAppleId: x", "apps[0].appAppleId"),
            ("keys: [{ id: K, publicKey: nonsense }]", "apps[0].keys[0].publicKey"),
            ("keys: [{ id: K, publicKeyFile: /nonexistent }]", "apps[0].keys[0].publicKeyFile names /nonexistent"),
            ("keys: [{ id: K }]", "apps[0].keys[0] has no publicKeyFile"),
            ("notificationURL: ftp://x", "apps[0].notificationURL"), ("colour: red", "apps[0].colour is not known"),
        ]
    )
    func apps(line: String, message: String) throws {
        let fault = #expect(throws: SimulatorFault.self) { try load(file(app + "\n" + line)) }
        #expect(fault?.description.contains(message) == true, "\(fault?.description ?? "")")
    }

    @Test(
        "Every fault of a product",
        arguments: [
            ("{ id: p, price: cheap }", "price"), ("{ id: p, price: 1.2345 }", "price"),
            ("{ id: p, period: P1H }", "period"),
            ("{ price: 1 }", "has no id"), ("{ id: p, offers: [{ id: o }, { id: o }] }", "id of another offer"),
            ("{ id: p, offers: [{ id: o, mode: free }] }", "payAsYouGo, payUpFront, freeTrial"),
            ("{ id: p, offers: [{ id: o, mode: freeTrial, price: 1 }] }", "costs nothing"),
            ("{ id: p, offers: [{ id: o, mode: payUpFront, periods: 2 }] }", "give the whole time as period"),
            ("{ id: p, introductoryOffer: { id: o } }", "introductory offers"),
            ("{ id: p, monthlyPrice: 1 }", "period P1Y"),
            ("{ id: p, period: P1Y, offers: [{ id: o, billingPlanType: MONTHLY }] }", "needs a monthlyPrice"),
            (
                "{ id: p, period: P1Y, monthlyPrice: 1, offers: [{ id: o, billingPlanType: MONTHLY, mode: freeTrial }] }",
                "payAsYouGo"
            ),
        ]
    )
    func products(product: String, message: String) throws {
        let yaml = "apps: [{ bundleId: a, subscriptionGroups: [{ id: g, products: [\(product)] }] }]"
        let fault = #expect(throws: SimulatorFault.self) { try load(yaml) }
        #expect(fault?.description.contains(message) == true, "\(fault?.description ?? "")")
    }

    @Test(
        "Every fault of a customer",
        arguments: [
            ("{}", "has no name"), ("{ name: a b }", "letters, digits and hyphens"),
            ("{ name: c, environment: Xcode }", "Production"),
            ("{ name: c, appAccountToken: x }", "a UUID"), ("{ name: c, count: 0 }", "a whole number from 1"),
            ("{ name: c, bundleId: b }", "one of the apps"),
            ("{ name: c, subscriptions: [{ product: z, state: active }] }", "subscriptions[0].product"),
            ("{ name: c, subscriptions: [{ product: p, state: dead }] }", "one of active"),
            ("{ name: c, subscriptions: [{ product: p, state: active, redeemed: [z] }] }", "redeemed[0]"),
            ("{ name: c, subscriptions: [{ product: p, state: active, introductory: true }] }", "needs a product"),
            ("{ name: c, subscriptions: [{ product: p, state: upgraded }] }", "has no upgradedTo"),
            ("{ name: c, subscriptions: [{ product: p, state: active, billingPlanType: MONTHLY }] }", "a monthlyPrice"),
            (
                "{ name: c, subscriptions: [{ product: y, state: gracePeriod, billingPlanType: MONTHLY }] }",
                "commitment"
            ),
            ("{ name: c, subscriptions: [{ product: y, state: lapsed, billingPlanType: MONTHLY, periods: 5 }] }", "12"),
            (
                "{ name: c, subscriptions: [{ product: y, state: active, billingPlanType: MONTHLY, redeemed: [o] }] }",
                "for the billing plan"
            ),
            ("{ name: c, subscriptions: [{ product: p, state: active, retentionOffer: o }] }", "a retention offer"),
            ("{ name: c, subscriptions: [{ product: p, state: lapsed, revocationPercentage: 1 }] }", "state refunded"),
            ("{ name: c, subscriptions: [{ product: p, state: refunded, revocationPercentage: 0 }] }", "from 1"),
            ("{ name: c, subscriptions: [{ product: p, state: active, upgradedTo: q }] }", "state upgraded"),
            ("{ name: c, subscriptions: [{ product: p, state: lapsed, expiresAt: 2039-01-01T00:00:00Z }] }", "behind"),
            (
                "{ name: c, subscriptions: [{ product: p, state: active, expiresAt: 2021-01-01T00:00:00Z }] }",
                "ahead of"
            ),
            (
                "{ name: c, subscriptions: [{ product: p, state: active }, { product: q, state: lapsed }] }",
                "second one"
            ),
        ]
    )
    func customers(customer: String, message: String) throws {
        let fault = #expect(throws: SimulatorFault.self) { try load(file(app, "[\(customer)]")) }
        #expect(fault?.description.contains(message) == true, "\(fault?.description ?? "")")
    }

    @Test("A crowd has a name and transactions for each, and ends like anyone else")
    func crowd() throws {
        let crowd = "{ name: c, count: 200, subscriptions: [{ product: p, state: activeAutoRenewOff }] }"
        var world = try load(file(app, "[\(crowd)]"))
        #expect(world.customers.all.count == 200)
        let last = try #require(world.customer("c-200"))
        #expect(world.customers.index(owning: last.transactions[0].transactionId) == 199)
        #expect(world.customers.index(owning: last.appTransactionId) == 199)
        #expect(Set(world.customers.all.flatMap(\.transactions).map(\.transactionId)).count == 400)
        try world.advance(signer: try TestStore.signing())
        #expect(!world.isDue)
        let isSet = world.clock.set(to: world.clock.now.adding(seconds: 30 * 86400))
        #expect(isSet)
        #expect(world.isDue)
        try world.advance(signer: try TestStore.signing())
        #expect(world.notifications.count == 200)
        #expect(world.customer("c-1")?.subscriptions.first?.status == 2)
    }

    @Test("Two customers of one name")
    func names() throws {
        let fault = #expect(throws: SimulatorFault.self) { try load(file(app, "[{ name: c }, { name: c }]")) }
        #expect(fault?.description.contains("customers[1].name") == true)
    }
}

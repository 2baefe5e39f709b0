import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("app-store.yaml")
struct ScenarioFileTests {
    private func load(_ yaml: String) throws -> AppStoreWorld {
        try ScenarioFile(directory: FileManager.default.temporaryDirectory).world(yaml)
    }

    private static let id = "00000000-0000-4000-8000-000000000001"
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
        "An unreadable scenario is a fault that names the file and the place",
        arguments: [
            ("{}", "apps"), ("apps: {}", "apps"), ("apps: [", "not valid YAML"), ("", "app-store.yaml"),
            ("apps: []\nclock: soon", "clock"), ("apps: []\nclock: 1999-01-01T00:00:00Z", "2020 to 2040"),
            ("apps: [{ bundleId: a }]", "apps[0]"),
            ("apps: [{ bundleId: a, subscriptionGroups: [{ id: g, products: [{ id: p, period: P1H }] }] }]", "period"),
            ("apps: [{ bundleId: a, subscriptionGroups: [{ id: g, products: [{ id: p, price: cheap }] }] }]", "price"),
            ("apps: []\ncustomers: [{ name: c, subscriptions: [{ product: p, state: x }] }]", "is none of active, "),
        ]
    )
    func unreadable(yaml: String, place: String) throws {
        let fault = try #require(throws: SimulatorFault.self) { try load(yaml) }
        #expect(fault.description.contains("app-store.yaml"))
        #expect(fault.description.contains(place), "\(fault)")
    }

    @Test("A key with another name is ignored")
    func unknownKey() throws {
        #expect(try load(file(app + "\ncolour: red")).app("a")?.products.count == 3)
    }

    @Test(
        "An app that could not work is refused",
        arguments: [
            ("keys: [{ id: K, publicKey: nonsense }]", "and its publicKey is none"),
            ("keys: [{ id: K, publicKeyFile: /nonexistent }]", "/nonexistent, which is not there"),
            ("keys: [{ id: K }]", "the key K needs"),
            ("notificationURL: ftp://x", "notificationURL"), ("gracePeriodDays: 99", "gracePeriodDays"),
            ("renewsAheadHours: 25", "needs renewsAheadHours from 0 to 24"),
            ("retention: { url: ftp://a }", "the url of its retention"),
            ("retention: { messages: [{ id: stay }] }", "a message of retention whose id is no UUID"),
            ("retention: { messages: [{ id: \(id) }, { id: \(id) }] }", "or another's: \(id)"),
            ("retention: { defaults: [{ product: p, locale: en-US, message: \(id) }] }", "a default of retention"),
            ("retention: { performanceTest: { totalRequests: 0 } }", "a performanceTest beyond"),
        ]
    )
    func apps(line: String, message: String) throws {
        let fault = try #require(throws: SimulatorFault.self) { try load(file(app + "\n" + line)) }
        #expect(fault.description.contains(message), "\(fault)")
    }

    @Test(
        "A customer who cannot be as described is refused by name",
        arguments: [
            ("{ name: c }, { name: c }", "the name of another one"), ("{ name: c, environment: Xcode }", "Production"),
            ("{ name: c, appAccountToken: x }", "UUID"),
            ("{ name: c, count: 0 }", "count"), ("{ name: c, bundleId: b }", "one of the apps"),
            ("{ name: c, subscriptions: [{ product: z, state: active }] }", "no product"),
            ("{ name: c, subscriptions: [{ product: p, state: active, redeemed: [z] }] }", "an offer"),
            ("{ name: c, subscriptions: [{ product: p, state: active, introductory: true }] }", "an offer"),
            ("{ name: c, subscriptions: [{ product: p, state: active, retentionOffer: o }] }", "an offer"),
            ("{ name: c, subscriptions: [{ product: p, state: active, billingPlanType: MONTHLY }] }", "billing plan"),
            ("{ name: c, subscriptions: [{ product: p, state: upgraded }] }", "upgradedTo"),
            ("{ name: c, subscriptions: [{ product: p, state: active, seats: 0 }] }", "seats of 1 to 10000"),
            ("{ name: c, subscriptions: [{ product: p, state: familyShared, seats: 2 }] }", "seats"),
            (
                "{ name: c, subscriptions: [{ product: p, state: assigned, seats: 2, invitationManagement: DEVELOPER }] }",
                "APPLE"
            ),
            (
                "{ name: c, subscriptions: [{ product: p, state: active, invitationManagement: APPLE }] }",
                "without seats"
            ),
            ("{ name: c, subscriptions: [{ product: p, state: lapsed, idChange: revoked }] }", "idChange"),
            ("{ name: c, subscriptions: [{ product: p, state: assigned, idChange: expired }] }", "idChange"),
            ("{ name: c, subscriptions: [{ product: p, state: refunded, revocationPercentage: 0 }] }", "Percentage"),
            ("{ name: c, subscriptions: [{ product: y, state: gracePeriod, billingPlanType: MONTHLY }] }", "cannot be"),
            ("{ name: c, subscriptions: [{ product: y, state: lapsed, billingPlanType: MONTHLY, periods: 5 }] }", "be"),
            (
                "{ name: c, subscriptions: [{ product: p, state: lapsed, expiresAt: 2039-01-01T00:00:00Z }] }",
                "be lapsed"
            ),
        ]
    )
    func customers(customer: String, message: String) throws {
        let fault = try #require(throws: SimulatorFault.self) { try load(file(app, "[\(customer)]")) }
        #expect(fault.description.contains("the customer c "))
        #expect(fault.description.contains(message), "\(fault)")
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
        world.advance(signer: try TestStore.signing())
        #expect(!world.isDue)
        let isSet = world.clock.set(to: world.clock.now.adding(seconds: 30 * 86400))
        #expect(isSet)
        #expect(world.isDue)
        world.advance(signer: try TestStore.signing())
        #expect(world.notifications.count == 200)
        #expect(world.customer("c-1")?.subscriptions.first?.status == 2)
    }
}

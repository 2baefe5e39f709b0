import OfferAPI
import Offers
import Testing

@testable import offer_signer

@Suite("The values of a configuration in use")
struct ConfigurationInUseTests {
    @Test("The order of values does not matter, and their SHA-256 is that of their JSON")
    func digest() {
        let configuration = ConfigurationInUse(["b": "2", "a": "1 \"x\""])
        #expect(configuration.json == #"{"a":"1 \"x\"","b":"2"}"#)
        // printf '{"a":"1 \\"x\\"","b":"2"}' | sha256sum
        #expect(configuration.sha256 == "74830df3789223bbe0ff1a46952dbff064b4668d99222b52af2461240f48a317")
        #expect(ConfigurationInUse(recorded: configuration.json) == configuration)
        #expect(ConfigurationInUse(recorded: "[]") == nil)
    }

    @Test("Changes are old → new by their paths; a client's tokens change without their mark")
    func changes() {
        let before = ConfigurationInUse(["a": "1", "b": "2", "clients[x].tokens": "00", "clients[z].tokens": "01"])
        let after = ConfigurationInUse(["a": "3", "c": "4", "clients[x].tokens": "ff", "clients[y].tokens": "02"])
        let changes = after.changes(since: before)
        #expect(
            changes.lines == [
                "a: 1 → 3", "b: 2 → not set", "c: not set → 4", "clients[x].tokens: changed",
                "clients[y].tokens: not set → set", "clients[z].tokens: set → not set",
            ]
        )
        #expect(changes.leftOut == 0)
    }

    @Test("Of more than 200 changes it is said how many are left out")
    func many() {
        let values = Dictionary(uniqueKeysWithValues: (0..<203).map { ("\($0)", "new") })
        let changes = ConfigurationInUse(values).changes(since: ConfigurationInUse([:]))
        #expect(changes.lines.count == 200)
        #expect(changes.leftOut == 3)
    }

    /// Whoever adds a member writes its value in `ConfigurationInUse+Values.swift`, and its name here.
    @Test("No member of an app, product, offer, rule or client is without a value")
    func members() {
        func members(of value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }
        let client = Client(name: "x", tokenSHA256: [], apps: [])
        #expect(
            members(of: client) == [
                "name", "tokenSHA256", "expires", "apps", "scopes", "evidence", "environments", "signaturesPerSecond",
                "concurrentRequests",
            ]
        )
        let app = App(bundleId: "x", subscriptionGroups: [])
        #expect(
            members(of: app) == [
                "bundleId", "environments", "requiresAccount", "customerSeparator", "maximumAccountsPerTransaction",
                "subscriptionGroups", "offers", "places",
            ]
        )
        let settings = AppSettings(
            app: app,
            appAppleId: nil,
            keys: [],
            sharedSecret: nil,
            receipts: .serverAPI,
            appStoreCacheSeconds: 0,
            retention: nil
        )
        #expect(
            members(of: settings) == [
                "app", "appAppleId", "keys", "sharedSecret", "receipts", "appStoreCacheSeconds", "retention",
            ]
        )
        #expect(
            members(of: Product(id: "x")) == ["id", "period", "level", "offers", "winBackOffers", "positions"]
        )
        #expect(members(of: WinBackOffer(id: "x", url: nil)) == ["id", "url"])
        // Every term has a key of the catalog, by which its value is written.
        #expect(members(of: PromotionalOffer.Terms()).count == OfferKey.all.count)
        let message = RetentionMessage(name: "x", standard: "y")
        #expect(members(of: RetentionRule(message: message)) == ["products", "proposal", "message"])
        #expect(members(of: message) == ["name", "standard", "byLocale"])
    }
}

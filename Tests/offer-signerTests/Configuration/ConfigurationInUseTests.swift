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

    /// As the configuration of `ConfigurationFixture` has them, with a value of each kind.
    private static let recorded = """
        apps[com.example.reader] = there
        apps[com.example.reader].appAppleId = 1234567890
        apps[com.example.reader].appStoreCacheSeconds = 10
        apps[com.example.reader].customerSeparator = ", "
        apps[com.example.reader].environments = Production, Sandbox
        apps[com.example.reader].maximumAccountsPerTransaction = 3
        apps[com.example.reader].products[com.example.reader.pro.monthly] = there
        apps[com.example.reader].products[com.example.reader.pro.monthly].group = 20900001
        apps[com.example.reader].products[com.example.reader.pro.monthly].level = 2
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50] = there
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].afterRefund = allow
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].audience = active, lapsed
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].holdout = "10 percent", "spring 26"
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].lapsedBecause = billing, voluntary
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].maxRedemptions = 1
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].maximumSignaturesPerCustomer = 5
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].scope = app
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].signaturePeriodDays = 60
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[comeback50].storefronts = DEU, USA
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[stay30] = there
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[stay30].audience = activeAutoRenewOff, billingRetry
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[stay30].endsAt = 2027-01-01T00:00:00Z
        apps[com.example.reader].products[com.example.reader.pro.monthly].offers[stay30].startsAt = 2026-01-01T00:00:00Z
        apps[com.example.reader].products[com.example.reader.pro.monthly].period = P4W
        apps[com.example.reader].products[com.example.reader.pro.monthly].winBackOffers[back] = https://apps.apple.com/win-back/1
        apps[com.example.reader].products[com.example.reader.pro.monthly].winBackOffers[other] = there
        apps[com.example.reader].receipts = serverAPI
        apps[com.example.reader].requireAccount = true
        apps[com.example.reader].sharedSecretFile = given
        clients[reader-backend] = there
        clients[reader-backend].apps = com.example.reader
        clients[reader-backend].concurrentRequests = 5
        clients[reader-backend].environments = Production
        clients[reader-backend].evidence = receipt, signedTransactions, transactionId
        clients[reader-backend].expires = 2099-01-01T00:00:00Z
        clients[reader-backend].scopes = diagnose, eligibility, report, sign
        clients[reader-backend].signaturesPerSecond = 2000
        clients[reader-backend].tokens = d6dcacdd
        """

    @Test("What is read is on record, as versions before wrote it: no secret, no path, and no rule at its default")
    func values() throws {
        let rules = """
            [lapsed, active]
                            afterRefund: allow
                            familyShared: refuse
                            scope: app
                            signaturePeriodDays: 60
                            lapsedBecause: [voluntary, billing]
                            storefronts: [usa, DEU]
                            holdout: { percent: 10, name: spring 26 }
            """
        let winBack = "[{ id: back, url: \"https://apps.apple.com/win-back/1\" }, { id: other }]"
        let fixture = try ConfigurationFixture([
            .init("catalog.yaml", "[lapsed]", rules), .init("catalog.yaml", "Separator: \":\"", "Separator: \", \""),
            .init("catalog.yaml", "requireAccount: false", "requireAccount: true"),
            .init(
                "catalog.yaml",
                "            offers:\n",
                "            period: P28D\n            level: 2\n            winBackOffers: \(winBack)\n            offers:\n"
            ),
            .init(
                "clients.yaml",
                "\"\(ConfigurationFixture.token)\"",
                "{ sha256: \(ConfigurationFixture.token), expires: 2099-01-01T00:00:00Z }, concurrentRequests: 5"
            ),
        ])
        let lines = try fixture.load().recorded.map { "\($0) = \($1)" }.sorted()
        #expect(lines == Self.recorded.split(separator: "\n").map(String.init).sorted())
        // Every term has a key of the catalog.
        #expect(Mirror(reflecting: PromotionalOffer.Terms()).children.count == OfferKey.all.count)
    }
}

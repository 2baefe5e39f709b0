import Testing

@testable import offer_signer

/// What an operator should know is said at its place, and what is not set is not.
@Suite struct WarningTests {
    @Test func whatWeakensTrustIsNamedAtItsPlace() throws {
        let edits: [ConfigurationFixture.Edit] = [
            .init("offer-signer.yaml", "additionalRoots: []", "additionalRoots: [root.pem]"),
            .init(
                "catalog.yaml",
                "    sharedSecretFile",
                "      - { id: OTHER12345, publicKeyFile: old.pem }\n    sharedSecretFile"
            ),
        ]
        let loaded = try ConfigurationFixture(edits).load()
        #expect(
            loaded.warnings.map { "\($0.line ?? 0) \($0.keyPath)" } == [
                "15 appStore.additionalRoots[0]"
            ]
        )
    }

    @Test func whatIsNotSetIsNotNamed() throws {
        let fixture = try ConfigurationFixture()
        let catalog = """
            apps:
              - bundleId: com.example.reader
                appAppleId: 1
                keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }]
                subscriptionGroups: [{ id: 1, products: [{ id: p, offers: [{ id: o, maxRedemptions: 2 }] }] }]
            """
        try fixture.write(Array(catalog.utf8), to: "catalog.yaml")
        try fixture.write(Array("catalog: catalog.yaml\nclients: clients.yaml\n".utf8), to: "offer-signer.yaml")
        #expect(try fixture.load().warnings.map(\.keyPath).isEmpty)
    }

    @Test(arguments: [
        ("id: EXAMPLE123", "id: EXAMPLE1234", "6: apps[0].keys[0].id: \"EXAMPLE1234\" has 11 characters"),
        ("id: EXAMPLE123", "id: EXAMPLE124", "6: apps[0].keys[0].file: \"SubscriptionKey_EXAMPLE123.p8\" is named for"),
    ])
    func aKeyIdThatMayBeWrongIsNamed(_ old: String, _ new: String, _ start: String) throws {
        let fixture = try ConfigurationFixture([.init("catalog.yaml", old, new)])
        #expect(try fixture.warnings().contains { $0.hasPrefix("catalog.yaml:" + start) })
    }

    @Test func theNameOfAnAppStoreConnectAPIKeyIsTakenWithAWarning() throws {
        let fixture = try ConfigurationFixture([
            .init("catalog.yaml", "SubscriptionKey_EXAMPLE123.p8", "AuthKey_EXAMPLE123.p8")
        ])
        try fixture.write(Array("not read here".utf8), to: "AuthKey_EXAMPLE123.p8")
        let warning = try fixture.warnings().first { $0.contains("AuthKey_EXAMPLE123.p8") }
        #expect(warning?.contains("StoreKit refuses what such a key signs") == true)
    }

    @Test(arguments: [(29, true), (30, false), (31, false)])
    func aLimitOverMoreDaysThanRecordsAreKeptIsNamed(_ days: Int, _ isNamed: Bool) throws {
        let fixture = try ConfigurationFixture()
        let catalog = """
            apps:
              - bundleId: com.example.reader
                keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }]
                subscriptionGroups:
                  - id: 1
                    products: [{ id: p, offers: [{ id: once, maximumSignaturesPerCustomer: 1 }, { id: o }] }]
            """
        try fixture.write(Array(catalog.utf8), to: "catalog.yaml")
        let main = "catalog: catalog.yaml\nclients: clients.yaml\nledger: { retentionDays: \(days) }\n"
        try fixture.write(Array(main.utf8), to: "offer-signer.yaml")
        let warnings = try fixture.warnings()
        #expect(warnings.contains { $0.contains("ledger.retentionDays") && $0.contains("\"once\"") } == isNamed)
    }

    @Test func theSameAppleIdOfTwoAppsIsNamed() throws {
        let fixture = try ConfigurationFixture()
        func app(_ id: String, _ appleId: Int) -> String {
            "  - { bundleId: \(id), appAppleId: \(appleId), keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }], "
                + "subscriptionGroups: [] }\n"
        }
        for (second, isNamed) in [(7, true), (8, false)] {
            let catalog = "apps:\n" + app("com.example.reader", 7) + app("com.example.other", second)
            try fixture.write(Array(catalog.utf8), to: "catalog.yaml")
            try fixture.write(Array("catalog: catalog.yaml\nclients: clients.yaml\n".utf8), to: "offer-signer.yaml")
            #expect(
                try fixture.warnings().contains { $0.contains("apps[1].appAppleId: is also apps[0].appAppleId") }
                    == isNamed
            )
        }
    }

    @Test func aKeyIdThatFitsIsNotNamed() throws {
        #expect(try !ConfigurationFixture().warnings().contains { $0.contains(".keys[0]") })
    }

    @Test func anEmptyListOfClientsIsNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("clients: []\n".utf8), to: "clients.yaml")
        #expect(try fixture.warnings().contains { $0.hasPrefix("clients.yaml:1: clients: is empty") })
    }
}

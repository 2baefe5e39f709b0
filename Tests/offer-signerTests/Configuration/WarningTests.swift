import Testing

@testable import offer_signer

/// What an operator should know is said at its place, and what is not set is not.
@Suite struct WarningTests {
    @Test func additionalRootsAreAWarningAtTheirPlace() throws {
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
            loaded.warnings.map { "\($0.place.line ?? 0) \($0.place.keyPath)" } == [
                "15 appStore.additionalRoots[0]"
            ]
        )
    }

    @Test func aMinimalConfigurationHasNoWarnings() throws {
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
        #expect(try fixture.load().warnings.isEmpty)
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

    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    @Test("An issuerId on the app holds for its keys, and a key's own wins")
    func issuerOnTheApp() throws {
        let other = "00000000-0000-0000-0000-000000000001"
        let fixture = try ConfigurationFixture([
            .init(
                "catalog.yaml",
                ", issuerId: \(Self.issuer) }",
                " }\n      - { id: OTHER12345, publicKeyFile: old.pem, "
                    + "issuerId: \(other) }\n    issuerId: \(Self.issuer)"
            )
        ])
        let loaded = try fixture.load()
        #expect(loaded.apps.first?.keys.map(\.issuerId) == [Self.issuer, other])
        #expect(!loaded.warnings.contains { $0.message.contains("issuerId") })
    }

    @Test("A first key without the issuerId that a later one has is named")
    func firstKeyWithoutIssuer() throws {
        func warnings(_ issuerOfLater: String) throws -> [String] {
            try ConfigurationFixture([
                .init(
                    "catalog.yaml",
                    ", issuerId: \(Self.issuer) }",
                    " }\n      - { id: OTHER12345, "
                        + "publicKeyFile: old.pem\(issuerOfLater) }"
                )
            ]).warnings()
        }
        let named = try warnings(", issuerId: \(Self.issuer)")
        #expect(named.count == 1, "\(named)")
        let start = "catalog.yaml:6: apps[0].keys[0]: has no issuerId, but the key OTHER12345 has one"
        #expect(named.first?.hasPrefix(start) == true)
        #expect(try warnings("").isEmpty)
    }

    @Test(
        "Plain HTTP and the operators' listener are named where other networks may reach them",
        arguments: [
            ("127.0.0.1", false), ("::1", false), ("localhost", false), ("10.1.2.3", false), ("172.31.0.1", false),
            ("192.168.0.1", false), ("169.254.0.1", false), ("100.64.0.1", false), ("fd00::1", false),
            ("fe80::1%eth0", false),
            ("0.0.0.0", true), ("::", true), ("203.0.113.7", true), ("172.32.0.1", true), ("192.169.0.1", true),
            ("100.128.0.1", true), ("2001:db8::1", true), ("signer.example", true),
        ]
    )
    func exposure(_ host: String, _ isNamed: Bool) throws {
        let fixture = try ConfigurationFixture()
        for (setting, fragment) in [("server.host", "plain text"), ("admin.host", "need no token")] {
            let warnings = try fixture.load(flags: [setting: host]).warnings
            #expect(warnings.contains { $0.place.keyPath == setting && $0.message.contains(fragment) } == isNamed)
            #expect(warnings.count == (isNamed ? 1 : 0), "\(warnings)")
        }
    }

    @Test func anEmptyListOfClientsIsNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("clients: []\n".utf8), to: "clients.yaml")
        #expect(try fixture.warnings().contains { $0.hasPrefix("clients.yaml:1: clients: is empty") })
    }
}

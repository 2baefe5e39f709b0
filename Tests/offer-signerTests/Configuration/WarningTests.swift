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

    @Test func aKeyIdThatFitsIsNotNamed() throws {
        #expect(try !ConfigurationFixture().warnings().contains { $0.contains(".keys[0]") })
    }

    @Test func anEmptyListOfClientsIsNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("clients: []\n".utf8), to: "clients.yaml")
        #expect(try fixture.warnings().contains { $0.hasPrefix("clients.yaml:1: clients: is empty") })
    }
}

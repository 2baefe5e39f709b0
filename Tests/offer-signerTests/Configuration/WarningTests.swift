import Testing

@testable import offer_signer

/// What an operator should know is said at its place, and what is not set is not.
@Suite struct WarningTests {
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
}

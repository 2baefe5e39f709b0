import Testing

@testable import offer_signer

@Suite("All faults of a configuration are reported at once")
struct SeveralFaultsTests {
    @Test func theCatalogAndTheClientsMustBeNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("server: { port: 80 }\n".utf8), to: "offer-signer.yaml")
        #expect(
            fixture.faults().map { $0.prefix { $0 != ";" } } == [
                "offer-signer.yaml: catalog: is missing", "offer-signer.yaml: clients: is missing",
            ]
        )
    }

    @Test func tenFaultsInThreeFilesAreTenFaults() throws {
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "port: 8080", "prot: 8080"),
            .init("offer-signer.yaml", "port: 9090", "port: 90900"),
            .init("offer-signer.yaml", "86400", "1d"),
            .init("catalog.yaml", "Sandbox]", "sandbox]"),
            .init("catalog.yaml", "reader.secret", "none.secret"),
            .init("catalog.yaml", "[lapsed]", "[lapsd]"),
            .init("catalog.yaml", "id: stay30", "id: comeback50"),
            .init("catalog.yaml", "2027-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
            .init("clients.yaml", ConfigurationFixture.token, "token"),
            .init("clients.yaml", "signaturesPerSecond: 2000", "scopes: [all]"),
        ])
        let offers = "apps[0].subscriptionGroups[0].products[0].offers"
        #expect(
            fixture.faults().map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") } == [
                "offer-signer.yaml:1: server.prot",
                "offer-signer.yaml:2: admin.port",
                "offer-signer.yaml:7: evidence.maximumAgeSeconds",
                "catalog.yaml:4: apps[0].environments[1]",
                "catalog.yaml:7: apps[0].sharedSecretFile",
                "catalog.yaml:18: \(offers)[0].audience[0]",
                "catalog.yaml:21: \(offers)[1].id",
                "catalog.yaml:24: \(offers)[1].endsAt",
                "clients.yaml:2: clients[0].tokenSHA256",
                "clients.yaml:2: clients[0].scopes[0]",
            ]
        )
    }

    @Test func theLedgersFilesAreReadBesideOtherFaults() throws {
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "port: 8080", "port: 80800"),
            .init("offer-signer.yaml", "sqlite:ledger.sqlite", "sqlite:none/ledger.sqlite"),
            .init("catalog.yaml", "reader.secret", "none.secret"),
        ])
        let faults = fixture.check(
            flags: ["ledger.digestKeyFile": "SubscriptionKey_EXAMPLE123.p8"],
            environment: ["OFFER_SIGNER_LEDGER_CHECKPOINT_KEY_FILE": "digest.key"]
        ).faults
        #expect(
            faults.map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") } == [
                "offer-signer.yaml:1: server.port",
                "offer-signer.yaml:5: ledger.url",
                "--ledger-digest-key-file: ledger.digestKeyFile",
                "OFFER_SIGNER_LEDGER_CHECKPOINT_KEY_FILE: ledger.checkpointKeyFile",
                "catalog.yaml:7: apps[0].sharedSecretFile",
            ]
        )
    }

    @Test func missingMembersOfAnAppAreNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("apps:\n  - requireAccount: true\n".utf8), to: "catalog.yaml")
        let faults = fixture.faults()
        #expect(
            faults.map { $0.prefix { $0 != ";" } } == [
                "catalog.yaml:2: apps[0].bundleId: is missing", "catalog.yaml:2: apps[0].keys: is missing",
                "catalog.yaml:2: apps[0].subscriptionGroups: is missing",
            ]
        )
    }

    @Test(arguments: [
        ("apps: []", "1: apps: is empty"), ("apps:", "1: apps: is without a value"),
        ("app: []", "1: app: is not known"),
    ])
    func aCatalogWithoutAppsIsAFault(_ text: String, _ start: String) throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array(text.utf8), to: "catalog.yaml")
        #expect(fixture.faults().contains { $0.hasPrefix("catalog.yaml:" + start) })
    }
}

import Testing

@testable import offer_signer

/// Each way to get `offer-signer.yaml` wrong is one fault, at its line and key path.
@Suite struct MainFileFaultTests {
    @Test(arguments: [
        ("port: 8080", "port: 65536", "1: server.port", "out of range; write a whole number from 0 to 65535"),
        ("port: 8080", "port: -1", "1: server.port", "out of range"),
        ("port: 8080", "port: 80x", "1: server.port", ": is not a whole number"),
        (
            "port: 8080", "port: 8080, limits: { maximumUnfinishedBytes: 2097151 }",
            "1: server.limits.maximumUnfinishedBytes", "has to hold the longest body; write 2097152 or more"
        ),
        ("9090", "9090, hosts: [http://a]", "2: admin.hosts[0]", "is not a host; write a name"),
        ("9090", "9090, hosts: a", "2: admin.hosts", "a list of host names"),
        ("port: 8080", "prot: 8080", "1: server.prot", "did you mean \"port\"?"),
        ("port: 8080", "port: [8080]", "1: server.port", "is a list"),
        ("port: 8080", "drainDelaySeconds: -1", "1: server.drainDelaySeconds", "out of range"),
        ("port: 8080", "tls: true", "1: server.tls", "mapping"),
        ("port: 8080", "tls: { privateKeyFil: b }", "1: server.tls.privateKeyFil", "privateKeyFile"),
        ("port: 8080", "port: 9090", "2: admin.port", "9090 is also server.port"),
        ("port: 8081", "port: 8080", "9: notifications.port", "8080 is also server.port"),
        ("{ host: 127.0.0.1, port: 8080 }", "8080", "1: server", "is a single value; a mapping is needed"),
        ("{ host: 127.0.0.1, port: 8080 }", "{ host: \"[::1]\" }", "1: server.host", "without brackets"),
        (
            "{ host: 127.0.0.1, port: 8080 }", "{ host: \"127.0.0.1:80\" }", "1: server.host",
            "the port has a key of its own"
        ),
        ("{ host: 127.0.0.1, port: 8080 }", "{ host: http://x/ }", "1: server.host", "is not a host"),
        ("{ host: 127.0.0.1, port: 8080 }", "{ host: \"\" }", "1: server.host", "is not a host"),
        ("clients:  clients.yaml", "clients:  none.yaml", "4: clients", "\"none.yaml\": no such file"),
        ("sqlite:ledger.sqlite", "mysql://u:hunter2@h/d", "5: ledger.url", "neither sqlite:FILE nor postgres://"),
        ("sqlite:ledger.sqlite", "postgres://u:hunter2@h/d", "5: ledger.url", "carries a password"),
        ("sqlite:ledger.sqlite", "postgres://u@h/d?password=hunter2", "5: ledger.url", "carries a password"),
        ("sqlite:ledger.sqlite", "sqlite:", "5: ledger.url", "names no file"),
        ("url: \"sqlite:ledger.sqlite\"", "retentionDays: 0", "5: ledger.retentionDays", "out of range"),
        ("url: \"sqlite:ledger.sqlite\"", "digestKeyFile: \"\"", "5: ledger.digestKeyFile", "is empty; write the path"),
        ("url: \"sqlite:ledger.sqlite\"", "digestKeyFile: none.key", "5: ledger.digestKeyFile", "no such file"),
        (
            "url: \"sqlite:ledger.sqlite\"", "digestKeyFile: short.key", "5: ledger.digestKeyFile",
            "32 or more are needed"
        ),
        ("url: \"sqlite:ledger.sqlite\"", "checkpointKeyFile: x.p8", "5: ledger.checkpointKeyFile", "no such file"),
        ("86400", "-1", "7: evidence.maximumAgeSeconds", "out of range"),
        ("86400", "1d", "7: evidence.maximumAgeSeconds", "not a whole number"),
        ("2592000", "2592000.0", "8: evidence.signedTransactionMaximumAgeSeconds", "not a whole number"),
        ("https://buy.itunes", "http://buy.itunes", "11: appStore.verifyReceiptURL", "is not https"),
        ("https://api.storekit.apple.com", "api.storekit.apple.com", "13: appStore.serverAPIURL", "is not a URL"),
        ("https://api.storekit.apple.com", "\"https:// a\"", "13: appStore.serverAPIURL", "is not a URL"),
        ("https://api.storekit.apple.com", "https://u:hunter2@h", "13: appStore.serverAPIURL", "carries a user"),
        ("https://api.storekit.apple.com", "https://a:0", "13: appStore.serverAPIURL", "a port out of range"),
        ("https://api.storekit.apple.com", "https://a:65536", "13: appStore.serverAPIURL", "a port out of range"),
        (
            "https://api.storekit.apple.com", "https://a:99999999999999999999/", "13: appStore.serverAPIURL",
            "a port out of range"
        ),
        ("https://api.storekit.apple.com", "https://a:+80", "13: appStore.serverAPIURL", "is not a URL"),
        ("https://api.storekit.apple.com", "\"https://a: 80\"", "13: appStore.serverAPIURL", "is not a URL"),
        (
            "additionalRoots: []", "additionalRoots: [root.pem, x.pem]", "15: appStore.additionalRoots[1]",
            "no such file"
        ),
        (
            "additionalRoots: []", "additionalRoots: [old.pem]", "15: appStore.additionalRoots[0]",
            "holds no X.509 certificate"
        ),
        (
            "additionalRoots: []", "additionalRoots: root.pem", "15: appStore.additionalRoots",
            "a list of certificate files"
        ),
    ])
    func isOneFaultAtItsPlace(_ old: String, _ new: String, _ place: String, _ fragment: String) throws {
        let fixture = try ConfigurationFixture([.init("offer-signer.yaml", old, new)])
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix("offer-signer.yaml:\(place): ") == true, "\(faults)")
        #expect(faults.first?.contains(fragment) == true, "\(faults)")
        #expect(!faults.description.contains("hunter2"))
    }

    @Test(
        "A malformed port is one fault, though its default is the port of another listener",
        arguments: [true, false]
    )
    func malformedPort(inTheFile: Bool) throws {
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "port: 8080", inTheFile ? "port: 80x" : "port: 1"),
            .init("offer-signer.yaml", "port: 9090", "port: 8080"),
        ])
        let faults = fixture.faults(flags: inTheFile ? [:] : ["server.port": "80x"])
        #expect(faults.count == 1 && faults.first?.contains(": is not a whole number") == true, "\(faults)")
    }

    @Test("Signed transactions are confirmed where the file says so, for apps that the App Store can be asked about")
    func confirmation() throws {
        let asks = ConfigurationFixture.Edit(
            "offer-signer.yaml",
            "evidence:\n",
            "evidence:\n  confirmSignedTransactions: true\n"
        )
        let withoutIssuer = ConfigurationFixture.Edit(
            "catalog.yaml",
            ", issuerId: 57246542-96fe-1a63-e053-0824d011072a",
            ""
        )
        #expect(try !ConfigurationFixture().load().evidenceConfirmSignedTransactions)
        #expect(try ConfigurationFixture([asks]).load().evidenceConfirmSignedTransactions)
        #expect(try ConfigurationFixture([withoutIssuer]).faults().isEmpty)
        let faults = try ConfigurationFixture([asks, withoutIssuer]).faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(
            faults.first?.hasPrefix(
                "offer-signer.yaml:7: evidence.confirmSignedTransactions: needs the App Store Server API for "
                    + "\"com.example.reader\""
            ) == true,
            "\(faults)"
        )
        let others = ConfigurationFixture.Edit(
            "clients.yaml",
            "signaturesPerSecond: 2000",
            "signaturesPerSecond: 2000, evidence: [receipt, transactionId]"
        )
        #expect(try ConfigurationFixture([asks, withoutIssuer, others]).faults().isEmpty)
    }

    @Test func theCatalogAndTheClientsMustBeNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("server: { port: 80 }\n".utf8), to: "offer-signer.yaml")
        #expect(
            fixture.faults().map { $0.prefix { $0 != ";" } } == [
                "offer-signer.yaml: catalog: is missing", "offer-signer.yaml: clients: is missing",
            ]
        )
    }

    @Test func plainHTTPIsForThisMachineAlone() throws {
        let url = "http://127.0.0.1:8082/verifyReceipt"
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "https://buy.itunes.apple.com/verifyReceipt", url)
        ])
        #expect(try fixture.load().verifyReceiptURL == url)
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

    @Test func aKeyThatStandsWhereAPathBelongsIsNotRepeated() throws {
        let key = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc2VjcmV0"
        for value in [
            key, "|\n          -----BEGIN PRIVATE KEY-----\n          c2VjcmV0\n", String(repeating: "0f", count: 16),
        ] {
            let fixture = try ConfigurationFixture([.init("catalog.yaml", "reader.secret", value)])
            let faults = fixture.faults()
            #expect(faults.count == 1)
            #expect(faults.first?.hasPrefix("catalog.yaml:7: apps[0].sharedSecretFile: ") == true)
            #expect(!faults.description.contains("c2VjcmV0") && !faults.description.contains("0f0f"))
        }
    }
}

import AppStore
import FoundationEssentials
import OfferAPI
import Offers
import Testing

@testable import offer_signer

/// The contract's sample files say exactly what they seem to say.
@Suite struct SettingsLoadTests {
    @Test func contractSampleGivesExactlyItsValues() throws {
        let fixture = try ConfigurationFixture()
        let settings = try fixture.load()

        #expect(settings.listeners.server == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(settings.listeners.admin == ListenAddress(host: "127.0.0.1", port: 9090))
        #expect(settings.ledger.location == .sqlite(path: fixture.path("ledger.sqlite")))
        #expect(settings.evidenceMaximumAgeSeconds == 86400)
        #expect(settings.evidenceSignedTransactionMaximumAgeSeconds == 2_592_000)
        #expect(settings.listeners.notifications == ListenAddress(host: "0.0.0.0", port: 8081))
        #expect(settings.verifyReceiptURL == "https://buy.itunes.apple.com/verifyReceipt")
        #expect(settings.sandboxVerifyReceiptURL == "https://sandbox.itunes.apple.com/verifyReceipt")
        #expect(settings.serverAPIURL == "https://api.storekit.apple.com")
        #expect(settings.sandboxServerAPIURL == "https://api.storekit-sandbox.apple.com")
        #expect(settings.additionalRoots.isEmpty)
        #expect(settings.apps == [sampleApp(fixture)])
        let digest = try #require(Hexadecimal.bytes(ConfigurationFixture.token))
        let client = Client(
            name: "reader-backend",
            tokenSHA256: [digest],
            apps: ["com.example.reader"],
            environments: [.production],
            signaturesPerSecond: 2000
        )
        #expect(settings.clients == [client])
    }

    @Test("Two products of a group may have an offer of one id, as in App Store Connect")
    func oneOfferIdOnTwoProducts() throws {
        let fixture = try ConfigurationFixture([
            .init(
                "catalog.yaml",
                "        products:\n",
                "        products:\n          - { id: yearly, offers: [{ id: stay30 }] }\n"
            )
        ])
        let app = try #require(try fixture.load().apps.first?.app)
        #expect(app.product("yearly")?.product.offers.map(\.id) == ["stay30"])
        #expect(app.product("com.example.reader.pro.monthly")?.product.offer("stay30") != nil)
    }

    @Test func everyRuleOfAnOfferIsRead() throws {
        let rules = """
            maxRedemptions: 1
                            scope: app
                            fromProducts: [news.monthly, com.example.reader.pro.monthly]
                            minimumLapsedDays: 30
                            maximumLapsedDays: 60
                            afterRefund: allow
                            familyShared: allow
                            assigned: allow

            """
        let fixture = try ConfigurationFixture([
            .init("catalog.yaml", "maxRedemptions: 1\n", rules),
            .init(
                "catalog.yaml",
                "            offers:\n",
                "            period: P1M\n            level: 2\n            offers:\n"
            ),
            .init(
                "catalog.yaml",
                "      - id: \"20900001\"\n",
                "      - { id: \"2\", products: [{ id: news.monthly }] }\n      - id: \"20900001\"\n"
            ),
        ])
        let app = try #require(try fixture.load().apps.first?.app)
        let product = try #require(app.product("com.example.reader.pro.monthly")?.product)
        #expect(product.period == .months(1))
        #expect(product.level == 2)
        #expect(
            product.offer("comeback50")
                == PromotionalOffer(id: "comeback50") {
                    $0.audience = [.lapsed]
                    $0.maxRedemptions = 1
                    $0.maximumSignaturesPerCustomer = 5
                    $0.scope = .app
                    $0.fromProducts = ["news.monthly", "com.example.reader.pro.monthly"]
                    $0.minimumLapsedDays = 30
                    $0.maximumLapsedDays = 60
                    $0.afterRefund = .allow
                    $0.familyShared = .allow
                    $0.assigned = .allow
                }
        )
    }

    private func sampleApp(_ fixture: ConfigurationFixture) -> AppSettings {
        let stay = PromotionalOffer(id: "stay30") {
            $0.audience = [.activeAutoRenewOff, .billingRetry]
            $0.startsAt = Timestamp(millisecondsSince1970: 1_767_225_600_000)
            $0.endsAt = Timestamp(millisecondsSince1970: 1_798_761_600_000)
        }
        let comeback = PromotionalOffer(id: "comeback50") {
            $0.audience = [.lapsed]
            $0.maxRedemptions = 1
            $0.maximumSignaturesPerCustomer = 5
            $0.signaturePeriodDays = 30
        }
        let product = Product(id: "com.example.reader.pro.monthly", offers: [comeback, stay])
        return AppSettings(
            app: App(
                bundleId: "com.example.reader",
                environments: [.production, .sandbox],
                requiresAccount: false,
                customerSeparator: CustomerSeparator(":"),
                maximumAccountsPerTransaction: 3,
                subscriptionGroups: [SubscriptionGroup(id: "20900001", products: [product])]
            ),
            appAppleId: 1_234_567_890,
            keys: [
                KeySettings(
                    id: "EXAMPLE123",
                    file: fixture.path("SubscriptionKey_EXAMPLE123.p8"),
                    publicKeyFile: nil,
                    issuerId: "57246542-96fe-1a63-e053-0824d011072a"
                )
            ],
            sharedSecret: SharedSecret(contents: Array("0123456789abcdef0123456789abcdef".utf8)),
            receipts: .serverAPI,
            appStoreCacheSeconds: 10,
            retention: nil
        )
    }

    @Test func theLeastConfigurationHasTheContractsDefaults() throws {
        let fixture = try ConfigurationFixture()
        let full = try fixture.load()
        try fixture.write(Array("catalog: catalog.yaml\nclients: clients.yaml\n".utf8), to: "offer-signer.yaml")
        let least = try fixture.load()
        for entry in SettingTable.scalars {
            #expect(least.values.text(entry) == full.values.text(entry), "\(entry.keyPath)")
        }
        #expect(least.ledger.location == full.ledger.location)
        #expect(least.adminHosts.isEmpty && least.additionalRoots.isEmpty && least.tls == nil)
        #expect(least.listeners.notifications == nil)
    }

    @Test func missingMembersOfTheCatalogHaveTheirDefaults() throws {
        let fixture = try ConfigurationFixture()
        let catalog = """
            apps:
              - bundleId: 12345
                keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }]
                subscriptionGroups:
                  - id: 020900001
                    products: [{ id: "no", offers: [{ id: yes }] }, { id: plain }]
            """
        let clients = """
            clients:
              - name: one
                tokenSHA256: \(ConfigurationFixture.token.uppercased())
                apps: [12345]
                scopes: [sign, diagnose]
                evidence: [receiptResponse]
            """
        try fixture.write(Array(catalog.utf8), to: "catalog.yaml")
        try fixture.write(Array(clients.utf8), to: "clients.yaml")
        let settings = try fixture.load()
        let app = try #require(settings.apps.first)
        #expect(app.app.environments == [.production])
        #expect(app.app.bundleId == "12345")
        #expect(!app.app.requiresAccount)
        #expect(app.receipts == .verifyReceipt)
        #expect(app.sharedSecret == nil && app.app.customerSeparator == nil && app.appAppleId == nil)
        #expect(app.app.maximumAccountsPerTransaction == 3)
        #expect(app.app.product("no")?.product.offer("yes")?.terms.signatureLimit == nil)
        // Identifiers are read as they are written, whatever YAML would make of them.
        #expect(app.app.subscriptionGroups.map(\.id) == ["020900001"])
        #expect(app.app.product("no")?.product.offer("yes")?.terms.audience == Set(SubscriberState.audience))
        #expect(app.app.product("plain")?.product.offers.isEmpty == true)
        let client = try #require(settings.clients.first)
        #expect(client.tokenSHA256 == [Hexadecimal.bytes(ConfigurationFixture.token)])
        #expect(client.scopes == [.sign, .diagnose])
        #expect(client.evidence == [.receiptResponse])
        #expect(client.signaturesPerSecond == nil)
    }

    @Test func aClientMaySendVerifyReceiptAnswersOnlyWhereItsEvidenceNamesThem() throws {
        #expect(
            try ConfigurationFixture().load().clients.first?.evidence
                == [.receipt, .signedTransactions, .transactionId]
        )
    }

    @Test("A retention section as the reference shows it")
    func retention() throws {
        let edit = ConfigurationFixture.Edit(
            "catalog.yaml",
            ConfigurationFixture.catalog,
            ConfigurationChange.retentionCatalog
        )
        let settings = try ConfigurationFixture([edit]).load()
        #expect(settings.apps.first?.retention?.count == 4)
        #expect(settings.retentionTimeoutMilliseconds == 500)
        #expect(settings.warnings.isEmpty, "\(settings.warnings)")
    }

    @Test func relativePathsBeginAtTheFileThatIsGiven() throws {
        let fixture = try ConfigurationFixture()
        let nested = fixture.path("nested")
        try FileManager.default.createDirectory(atPath: nested, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: fixture.path("catalog.yaml"), toPath: nested + "/catalog.yaml")
        // The catalog's own paths begin there too, not beside the catalog.
        let settings = try fixture.load(flags: ["catalog": "nested/catalog.yaml"])
        #expect(settings.apps.first?.keys.first?.file == fixture.path("SubscriptionKey_EXAMPLE123.p8"))
    }

    @Test func retiredKeysNeedOnlyTheirPublicHalf() throws {
        let fixture = try ConfigurationFixture([
            .init(
                "catalog.yaml",
                "    sharedSecretFile",
                "      - { id: RETIRED123, publicKeyFile: old.pem }\n    sharedSecretFile"
            )
        ])
        let keys = try fixture.load().apps.first?.keys
        #expect(keys?.map(\.id) == ["EXAMPLE123", "RETIRED123"])
        #expect(keys?.last?.file == nil)
        #expect(keys?.last?.publicKeyFile == fixture.path("old.pem"))
    }

    @Test(arguments: [
        ("sqlite:/var/lib/ledger.sqlite", LedgerLocation.sqlite(path: "/var/lib/ledger.sqlite")),
        ("postgres://signer@db.example/ledger", .postgres(url: "postgres://signer@db.example/ledger")),
    ])
    func ledgerIsWhereItsURLSays(_ url: String, _ location: LedgerLocation) throws {
        let keys = "\(url)\", retentionDays: 400, digestKeyFile: digest.key, checkpointKeyFile: \"checkpoint.p8"
        let fixture = try ConfigurationFixture([.init("offer-signer.yaml", "sqlite:ledger.sqlite", keys)])
        try fixture.write(Array(repeating: 1, count: 32), to: "digest.key")
        try fixture.write([1], to: "checkpoint.p8")
        for name in ["digest.key", "checkpoint.p8"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: fixture.path(name))
        }
        let settings = try fixture.load()
        let ledger = settings.ledger
        #expect(ledger.location == location)
        #expect(ledger.digestKeyFile?.path == fixture.path("digest.key"))
        #expect(ledger.checkpointKeyFile?.path == fixture.path("checkpoint.p8"))
        #expect(settings.ledgerRetentionDays == 400)
    }

    @Test(arguments: [
        (nil, "ledger.sqlite"), ("/var/lib/signer", "/var/lib/signer/ledger.sqlite"),
        ("/var/lib/a:/var/lib/b", "/var/lib/a/ledger.sqlite"), ("var/lib", "ledger.sqlite"), ("", "ledger.sqlite"),
    ])
    func aLedgerThatIsNotNamedIsInTheStateDirectory(_ state: String?, _ path: String) throws {
        let environment = state.map { ["STATE_DIRECTORY": $0] } ?? [:]
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "url: \"sqlite:ledger.sqlite\"", "retentionDays: 400")
        ])
        let expected = path.hasPrefix("/") ? path : fixture.path(path)
        #expect(try fixture.load(environment: environment).ledger.location == .sqlite(path: expected))
        // The one that the file names stays where it is.
        let named = try ConfigurationFixture()
        let location = try named.load(environment: environment).ledger.location
        #expect(location == .sqlite(path: named.path("ledger.sqlite")))
    }

    @Test(arguments: [true, false])
    func keysVerifySignaturesReachesTheSignerOfEachKeyFile(_ verifies: Bool) throws {
        let ring = KeyRing()
        let settings = try ConfigurationFixture().load(
            flags: ["keys.verifySignatures": "\(verifies)"],
            keyRing: ring
        )
        let signers = settings.apps.flatMap { ring.keys(for: $0.keys) }
        #expect(!signers.isEmpty)
        #expect(signers.allSatisfy { Mirror(reflecting: $0).descendant("verifies") as? Bool == verifies })
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("0:0:0:0:0:0:0:1", true), ("localhost", true),
        ("LOCALHOST", true), ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("128.0.0.1", false),
        ("localhost.example", false), ("127.0.0.1.example", false), ("::ffff:10.0.0.1", false), ("", false),
    ])
    func onlyLoopbackIsLoopback(_ host: String, _ isLoopback: Bool) {
        #expect(ListenAddress(host: host, port: 0).isLoopback == isLoopback)
    }
}

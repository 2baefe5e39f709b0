import Testing

@testable import offer_signer

/// Each way to get `catalog.yaml` wrong is one fault, at its line and key path.
@Suite struct CatalogFaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let old: String
        let new: String
        /// What the one fault begins with, after `catalog.yaml:`.
        let place: String
        let fragment: String

        init(_ old: String, _ new: String, _ place: String, _ fragment: String) {
            self.old = old
            self.new = new
            self.place = place
            self.fragment = fragment
        }

        var testDescription: String { "\(old) -> \(new)" }
    }

    private static let product = "apps[0].subscriptionGroups[0].products[0]"
    private static let offer = product + ".offers[0]"
    private static let key =
        "{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8, issuerId: 57246542-96fe-1a63-e053-0824d011072a }"

    /// What a P8 begins with, in one that is of letters and digits alone, as a few in a hundred are.
    private static let p8 =
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcfasB5gJnJDE1ve3Bu26MdMXL2n8UqogoAt3m76zYzKhRANCAAR0wo51ONk8"

    /// One byte more than a request can name.
    private static let long = String(repeating: "i", count: 256)

    @Test(arguments: apps + keys + offers + rules)
    func isOneFaultAtItsPlace(_ wrong: Case) throws {
        let fixture = try ConfigurationFixture([.init("catalog.yaml", wrong.old, wrong.new)])
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix("catalog.yaml:\(wrong.place): ") == true, "\(faults)")
        #expect(faults.first?.contains(wrong.fragment) == true, "\(faults)")
        #expect(faults.first?.contains(Self.p8.suffix(12)) == false, "\(faults)")
    }

    private static let apps: [Case] = [
        .init("    receipts", "    reciepts", "8: apps[0].reciepts", "did you mean \"receipts\"?"),
        .init(
            "receipts: verifyReceipt",
            "receipts: both",
            "8: apps[0].receipts",
            "known here: verifyReceipt, serverAPI"
        ),
        .init("1234567890", "0", "3: apps[0].appAppleId", "out of range"),
        .init("1234567890", "-5", "3: apps[0].appAppleId", "out of range"),
        .init("1234567890", "99999999999999999999", "3: apps[0].appAppleId", "out of range"),
        .init("1234567890", "\"1234567890\"", "3: apps[0].appAppleId", "quotation marks"),
        .init("1234567890", "id1", "3: apps[0].appAppleId", ": is not a whole number"),
        .init("[Production, Sandbox]", "[]", "4: apps[0].environments", "is empty"),
        .init("Sandbox]", "sandbox]", "4: apps[0].environments[1]", "did you mean \"Sandbox\"?"),
        .init("[Production, Sandbox]", "Production", "4: apps[0].environments", "a list of Production"),
        .init("requireAccount: false", "requireAccount: no", "9: apps[0].requireAccount", "neither true nor false"),
        .init("requireAccount: false", "requireAccount: \"false\"", "9: apps[0].requireAccount", "quotation marks"),
        .init("requireAccount: false", "requireAccount:", "9: apps[0].requireAccount", "has no value"),
        .init("Separator: \"-\"", "Separator: \"\"", "10: apps[0].customerSeparator", "has 0 bytes; write 1 to 16"),
        .init("Separator: \"-\"", "Separator: äääääääää", "10: apps[0].customerSeparator", "has 18 bytes"),
        .init("Separator: \"-\"", "Separator: [-]", "10: apps[0].customerSeparator", "is a list"),
        .init(
            "customerSeparator: \"-\"",
            "customerPattern: \"^((?:[A-Z]+_?)+)-\"",
            "10: apps[0].customerPattern",
            "is no longer known; write customerSeparator"
        ),
        .init("Transaction: 3", "Transaction: 0", "11: apps[0].maximumAccountsPerTransaction", "out of range"),
        .init("reader.secret", "none.secret", "7: apps[0].sharedSecretFile", "\"none.secret\": no such file"),
        .init("reader.secret", "root.pem", "7: apps[0].sharedSecretFile", "the file holds no shared secret"),
        .init("reader.secret", ".", "7: apps[0].sharedSecretFile", "is a directory"),
        .init("bundleId: com.example.reader", "bundleId: \"\"", "2: apps[0].bundleId", "is empty"),
        .init("bundleId: com.example.reader", "bundleId: \(long)", "2: apps[0].bundleId", "has 256 bytes"),
        .init("\"20900001\"", long, "13: apps[0].subscriptionGroups[0].id", "has 256 bytes"),
        .init("com.example.reader.pro.monthly", long, "15: \(product).id", "has 256 bytes"),
        .init("comeback50", long, "17: \(offer).id", "has 256 bytes"),
        .init("bundleId: com.example.reader", "bundleId: \(p8)", "2: apps[0].bundleId", "is a private key"),
        .init("SubscriptionKey_EXAMPLE123.p8", p8, "6: apps[0].keys[0].file", "put it into a file of mode 600"),
        .init(
            "    requireAccount: false\n",
            "    requireAccount: false\n    requireAccount: true\n",
            "9",
            "\"requireAccount\" is given twice in this mapping; keep one"
        ),
        .init("\"20900001\"", "{}", "13: apps[0].subscriptionGroups[0].id", "is a mapping; an identifier is needed"),
    ]

    @Test("A misspelt state is one fault, beside any other member about lapsed customers")
    func misspeltState() throws {
        let rules = "audience: [lapsd]\n                minimumLapsedDays: 3\n                afterRefund: allow"
        let faults = try ConfigurationFixture([.init("catalog.yaml", "audience: [lapsed]", rules)]).faults()
        #expect(faults.count == 1, "\(faults)")
        let fragment = "audience[0]: \"lapsd\" is not an audience; did you mean \"lapsed\"?"
        #expect(faults.first?.contains(fragment) == true, "\(faults)")
    }

    private static let keys: [Case] = [
        .init(key, "{ id: EXAMPLE123 }", "6: apps[0].keys[0].file", "is missing; the first key signs"),
        .init(key, "{ id: EXAMPLE123, publicKeyFile: old.pem }", "6: apps[0].keys[0].file", "is missing"),
        .init(key, "{ id: EXAMPLE123, file: none.p8 }", "6: apps[0].keys[0].file", "\"none.p8\": no such file"),
        .init(key, key + "\n      - { id: OTHER12345 }", "7: apps[0].keys[1]", "neither file nor publicKeyFile"),
        .init(
            key,
            key + "\n      - { id: EXAMPLE123, publicKeyFile: old.pem }",
            "7: apps[0].keys[1].id",
            "another key"
        ),
        .init(
            key,
            key + "\n      - { id: OTHER12345, publicKeyFile: x.pem }",
            "7: apps[0].keys[1].publicKeyFile",
            "no such file"
        ),
        .init("id: EXAMPLE123", "id: EXAMPLE-12", "6: apps[0].keys[0].id", "is not a key id"),
        .init("id: EXAMPLE123", "id: \"\"", "6: apps[0].keys[0].id", "is not a key id"),
        .init("id: EXAMPLE123", "id: EXAMPLE123EXAMPLE1234", "6: apps[0].keys[0].id", "is not a key id"),
        .init(
            "id: EXAMPLE123",
            "id: \(p8)",
            "6: apps[0].keys[0].id",
            "not repeated here, it looks like a private key itself: put it"
        ),
        .init("id: EXAMPLE123", "id: ÉXAMPLE123", "6: apps[0].keys[0].id", "is not a key id"),
        .init("57246542-96fe", "57246542-96f", "6: apps[0].keys[0].issuerId", "is not an issuer id"),
        .init("    environments", "    issuerId: mine\n    environments", "4: apps[0].issuerId", "is not an issuer id"),
        .init("\n      - " + key, " []", "5: apps[0].keys", "is empty"),
    ]

    private static let offers: [Case] = [
        .init(
            "[lapsed]",
            "[lapsd]",
            "18: \(offer).audience[0]",
            "\"lapsd\" is not an audience; did you mean \"lapsed\"?"
        ),
        .init("[lapsed]", "[refunded]", "18: \(offer).audience[0]", "\"refunded\" is not an audience"),
        .init("[lapsed]", "[]", "18: \(offer).audience", "nobody could get the offer"),
        .init("maxRedemptions: 1", "maxRedemptions: 0", "19: \(offer).maxRedemptions", "out of range"),
        .init("maxRedemptions: 1", "maxRedemptions: 1.5", "19: \(offer).maxRedemptions", "not a whole number"),
        .init("maxRedemptions: 1", "maxRedemptions: 0x1", "19: \(offer).maxRedemptions", "not a whole number"),
        .init("maxRedemptions: 1", "maxRedemptions: 010", "19: \(offer).maxRedemptions", "not a whole number"),
        .init("Customer: 5", "Customer: 0", "20: \(offer).maximumSignaturesPerCustomer", "out of range"),
        .init(
            "Customer: 5",
            "Customer: 5\n                signaturePeriodDays: 0",
            "21: \(offer).signaturePeriodDays",
            "out of range"
        ),
        .init(
            "startsAt: 2026-01-01T00:00:00Z",
            "startsAt: 2026-01-01",
            "23: \(product).offers[1].startsAt",
            "RFC 3339"
        ),
        .init(
            "startsAt: 2026-01-01T00:00:00Z",
            "startsAt: 2026-01-01 00:00:00Z",
            "23: \(product).offers[1].startsAt",
            "RFC 3339"
        ),
        .init("2027-01-01T00:00:00Z", "2027-02-30T00:00:00Z", "24: \(product).offers[1].endsAt", "RFC 3339"),
        .init(
            "2027-01-01T00:00:00Z",
            "2026-01-01T01:00:00+01:00",
            "24: \(product).offers[1].endsAt",
            "not after startsAt (2026-01-01T00:00:00Z)"
        ),
        .init(
            "id: stay30",
            "id: comeback50",
            "21: \(product).offers[1].id",
            "another offer of this product, on line 17"
        ),
        .init("id: stay30", "id: \"stay\u{2063}30\"", "21: \(product).offers[1].id", "invisible character U+2063"),
        .init("id: stay30", "id: \"stay\\x0730\"", "21: \(product).offers[1].id", "invisible character U+0007"),
        .init("id: stay30", "id: \"stay30 \"", "21: \(product).offers[1].id", "begins or ends with white space"),
        .init("id: stay30", "id: &anchor stay30", "21: \(product).offers[1].id", "YAML anchor"),
        .init("id: stay30", "id: !!int 30", "21: \(product).offers[1].id", "YAML tag"),
        .init(
            "id: stay30\n",
            "audiense: []\n                id: stay30\n",
            "21: \(product).offers[1].audiense",
            "did you mean \"audience\"?"
        ),
        .init("id: stay30\n                ", "", "21: \(product).offers[1].id", "is missing"),
        .init(
            "        products:\n",
            "        products:\n          - { id: com.example.reader.pro.monthly }\n",
            "16: apps[0].subscriptionGroups[0].products[1].id",
            "another product of this app, on line 15"
        ),
        .init(
            "      - id: \"20900001\"\n",
            "      - { id: \"2\", products: [{ id: com.example.reader.pro.monthly }] }\n      - id: \"20900001\"\n",
            "16: apps[0].subscriptionGroups[1].products[0].id",
            "another product of this app, on line 13"
        ),
        .init(
            "      - id: \"20900001\"\n",
            "      - { id: 20900001, products: [] }\n      - id: \"20900001\"\n",
            "14: apps[0].subscriptionGroups[1].id",
            "another group of this app, on line 13"
        ),
        .init(
            "            offers:\n",
            "            offers:\n" + (1...9).map { "              - { id: offer\($0) }\n" }.joined(),
            "16: \(product).offers",
            "has 11 offers; App Store Connect allows 10"
        ),
    ]

    /// Adds a line to the offer comeback50, which stands on line 20 then.
    private static func rule(_ line: String, _ place: String, _ fragment: String) -> Case {
        Case("maxRedemptions: 1\n", "maxRedemptions: 1\n                \(line)\n", "20: \(offer).\(place)", fragment)
    }

    private static let rules: [Case] = [
        rule("scope: apps", "scope", "did you mean \"app\"?"),
        rule("afterRefund: yes", "afterRefund", "known here: refuse, allow"),
        rule("familyShared: true", "familyShared", "known here: refuse, allow"),
        rule("assigned: yes", "assigned", "known here: refuse, allow"),
        rule("minimumLapsedDays: 0", "minimumLapsedDays", "from 1 to 36500"),
        rule("maximumLapsedDays: -1", "maximumLapsedDays", "from 1 to 36500"),
        rule("minimumLapsedDays: \"3\"", "minimumLapsedDays", "quotation marks"),
        rule("fromProducts: []", "fromProducts", "nobody could get the offer"),
        rule("fromProducts: com.example.reader.pro.monthly", "fromProducts", "a list of product ids"),
        rule(
            "fromProducts: [com.example.reader.pro.montly]",
            "fromProducts[0]",
            "did you mean \"com.example.reader.pro.monthly\"?"
        ),
        rule(
            "fromProducts: [com.example.reader.pro.monthly, com.example.reader.pro.monthly]",
            "fromProducts[1]",
            "another product of this list"
        ),
        rule("fromProduct: [a]", "fromProduct", "did you mean \"fromProducts\"?"),
        .init(
            "maxRedemptions: 1\n",
            "minimumLapsedDays: 60\n                maximumLapsedDays: 30\n",
            "20: \(offer).maximumLapsedDays",
            "less than minimumLapsedDays (60)"
        ),
        .init(
            "[activeAutoRenewOff, billingRetry]\n",
            "[activeAutoRenewOff, billingRetry]\n                minimumLapsedDays: 3\n",
            "23: \(product).offers[1].minimumLapsedDays",
            "but the audience leaves them out"
        ),
        .init(
            "[activeAutoRenewOff, billingRetry]\n",
            "[activeAutoRenewOff, billingRetry]\n                afterRefund: allow\n",
            "23: \(product).offers[1].afterRefund",
            "add lapsed to the audience"
        ),
        .init(
            "      - id: \"20900001\"\n",
            "      - { id: \"2\", products: [{ id: news, offers: [{ id: a, fromProducts: [com.example.reader.pro.monthly] }] }] }\n"
                + "      - id: \"20900001\"\n",
            "13: apps[0].subscriptionGroups[0].products[0].offers[0].fromProducts[0]",
            "write scope: app, or name products of group \"2\""
        ),
        .init(
            "            offers:\n",
            "            period: P1X\n            offers:\n",
            "16: \(product).period",
            "write one such as P1W"
        ),
        .init(
            "            offers:\n",
            "            level: 0\n            offers:\n",
            "16: \(product).level",
            "out of range"
        ),
    ]

    @Test func aSecondAppWithTheSameBundleIdIsAFault() throws {
        let app = """
              - bundleId: com.example.reader
                keys: [\(Self.key)]
                subscriptionGroups: []

            """
        let fixture = try ConfigurationFixture([.init("catalog.yaml", "apps:\n", "apps:\n" + app)])
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(
            faults.first?.hasPrefix("catalog.yaml:5: apps[1].bundleId: is also the bundle id of another app, on line 2")
                == true
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

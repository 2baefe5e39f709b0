@testable import offer_signer

/// The apps of `catalog.yaml`, and their keys.
extension ConfigurationChange {
    private static let product = "apps[0].subscriptionGroups[0].products[0]"
    private static let offer = product + ".offers[0]"
    private static let key =
        "{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8, issuerId: 57246542-96fe-1a63-e053-0824d011072a }"

    /// One byte more than a request can name.
    private static let long = String(repeating: "i", count: 256)

    static let ofApps: [Self] = [
        .catalog("    receipts", "    reciepts").fault("8: apps[0].reciepts", "did you mean \"receipts\"?"),
        .catalog("receipts: serverAPI", "receipts: both")
            .fault("8: apps[0].receipts", "known here: verifyReceipt, serverAPI"),
        .catalog("receipts: serverAPI", "receipts: verifyReceipt").warning("8: apps[0].receipts", "may end on any day"),
        .catalog("1234567890", "0").fault("3: apps[0].appAppleId", "is not a whole number from 1"),
        .catalog("1234567890", "-5").fault("3: apps[0].appAppleId", "is not a whole number from 1"),
        .catalog("1234567890", "99999999999999999999").fault("3: apps[0].appAppleId", "is not a whole number from 1"),
        .catalog("1234567890", "\"1234567890\"").fault("3: apps[0].appAppleId", "quotation marks"),
        .catalog("1234567890", "id1").fault("3: apps[0].appAppleId", ": is not a whole number"),
        .catalog("[Production, Sandbox]", "[]").fault("4: apps[0].environments", "is empty"),
        .catalog("Sandbox]", "sandbox]").fault("4: apps[0].environments[1]", "did you mean \"Sandbox\"?"),
        .catalog("[Production, Sandbox]", "Production")
            .fault("4: apps[0].environments", "a list is needed, each one of Production"),
        .catalog("requireAccount: false", "requireAccount: no")
            .fault("9: apps[0].requireAccount", "neither true nor false"),
        .catalog("requireAccount: false", "requireAccount: \"false\"")
            .fault("9: apps[0].requireAccount", "quotation marks"),
        .catalog("requireAccount: false", "requireAccount:").fault("9: apps[0].requireAccount", "has no value"),
        .catalog("Separator: \":\"", "Separator: \"\"")
            .fault("10: apps[0].customerSeparator", "has 0 bytes; write 1 to 16"),
        .catalog("Separator: \":\"", "Separator: äääääääää").fault("10: apps[0].customerSeparator", "has 18 bytes"),
        .catalog("Separator: \":\"", "Separator: [-]").fault("10: apps[0].customerSeparator", "is a list"),
        .catalog("Separator: \":\"", "Separator: \"-\"")
            .warning("10: apps[0].customerSeparator", "may be a part of a UUID"),
        .catalog("Separator: \":\"", "Separator: -order-").fine,
        .catalog("customerSeparator: \":\"", "customerPattern: \"^((?:[A-Z]+_?)+)-\"")
            .fault("10: apps[0].customerPattern", "is no longer known; write customerSeparator"),
        .catalog("Transaction: 3", "Transaction: 0")
            .fault("11: apps[0].maximumAccountsPerTransaction", "is not a whole number from 1"),
        .catalog("reader.secret", "none.secret").fault("7: apps[0].sharedSecretFile", "\"none.secret\": no such file"),
        .catalog("reader.secret", "root.pem").fault("7: apps[0].sharedSecretFile", "the file holds no shared secret"),
        .catalog("reader.secret", ".").fault("7: apps[0].sharedSecretFile", "is a directory"),
        .catalog("bundleId: com.example.reader", "bundleId: \"\"").fault("2: apps[0].bundleId", "is empty"),
        .catalog("bundleId: com.example.reader", "bundleId: \(long)").fault("2: apps[0].bundleId", "has 256 bytes"),
        .catalog("\"20900001\"", long).fault("13: apps[0].subscriptionGroups[0].id", "has 256 bytes"),
        .catalog("com.example.reader.pro.monthly", long).fault("15: \(product).id", "has 256 bytes"),
        .catalog("comeback50", long).fault("17: \(offer).id", "has 256 bytes"),
        .catalog("bundleId: com.example.reader", "bundleId: \(Self.p8)")
            .fault("2: apps[0].bundleId", "is a private key"),
        .catalog("SubscriptionKey_EXAMPLE123.p8", Self.p8)
            .fault("6: apps[0].keys[0].file", "put it into a file of mode 600"),
        .catalog("    requireAccount: false\n", "    requireAccount: false\n    requireAccount: true\n")
            .fault("9", "\"requireAccount\" is given twice in this mapping; keep one"),
        .catalog("\"20900001\"", "{}")
            .fault("13: apps[0].subscriptionGroups[0].id", "is a mapping; an identifier is needed"),
        .catalog("apps:\n", "apps:\n  - { bundleId: com.example.reader, keys: [\(key)], subscriptionGroups: [] }\n")
            .fault("3: apps[1].bundleId", "is also apps[0].bundleId, on line 2"),
        .catalog("reader.secret", "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc2VjcmV0")
            .fault("7: apps[0].sharedSecretFile", "looks like a private key itself"),
        .catalog("reader.secret", "|\n          -----BEGIN PRIVATE KEY-----\n          c2VjcmV0\n")
            .fault("7: apps[0].sharedSecretFile", "looks like a private key itself"),
        .catalog("reader.secret", String(repeating: "0f", count: 16))
            .fault("7: apps[0].sharedSecretFile", "no such file"),
    ]

    static let ofKeys: [Self] = [
        .catalog(key, "{ id: EXAMPLE123 }").fault("6: apps[0].keys[0].file", "is missing; the first key signs"),
        .catalog(key, "{ id: EXAMPLE123, publicKeyFile: old.pem }").fault("6: apps[0].keys[0].file", "is missing"),
        .catalog(key, "{ id: EXAMPLE123, file: none.p8 }")
            .fault("6: apps[0].keys[0].file", "\"none.p8\": no such file"),
        .catalog(key, key + "\n      - { id: OTHER12345 }")
            .fault("7: apps[0].keys[1]", "neither file nor publicKeyFile"),
        .catalog(key, key + "\n      - { id: OTHER12345, file: SubscriptionKey_OTHER12345.p8 }")
            .warning("7: apps[0].keys[1].file", "is also apps[0].keys[0].file, on line 6"),
        .catalog(key, key + "\n      - { id: EXAMPLE123, publicKeyFile: old.pem }")
            .fault("7: apps[0].keys[1].id", "is also apps[0].keys[0].id, on line 6"),
        .catalog(key, key + "\n      - { id: OTHER12345, publicKeyFile: x.pem }")
            .fault("7: apps[0].keys[1].publicKeyFile", "no such file"),
        .catalog("id: EXAMPLE123", "id: EXAMPLE-12").fault("6: apps[0].keys[0].id", "is not a key id"),
        .catalog("id: EXAMPLE123", "id: \"\"").fault("6: apps[0].keys[0].id", "is not a key id"),
        .catalog("id: EXAMPLE123", "id: EXAMPLE123EXAMPLE1234").fault("6: apps[0].keys[0].id", "is not a key id"),
        .catalog("id: EXAMPLE123", "id: \(Self.p8)")
            .fault("6: apps[0].keys[0].id", "not repeated here, it looks like a private key itself: put it"),
        .catalog("id: EXAMPLE123", "id: ÉXAMPLE123").fault("6: apps[0].keys[0].id", "is not a key id"),
        .catalog("57246542-96fe", "57246542-96f").fault("6: apps[0].keys[0].issuerId", "is not an issuer id"),
        .catalog("    environments", "    issuerId: mine\n    environments")
            .fault("4: apps[0].issuerId", "is not an issuer id"),
        .catalog("\n      - " + key, " []").fault("5: apps[0].keys", "is empty"),
        .catalog("id: EXAMPLE123", "id: EXAMPLE124")
            .warning("6: apps[0].keys[0].file", "is named for the key \"EXAMPLE123\", but the id is \"EXAMPLE124\""),
        .catalog("SubscriptionKey_EXAMPLE123.p8", "AuthKey_EXAMPLE123.p8")
            .warning("6: apps[0].keys[0].file", "StoreKit refuses what such a key signs"),
        .catalog(key, "{ id: EXAMPLE123, file: other.p8, publicKeyFile: old.pem }")
            .fault("6: apps[0].keys[0].publicKeyFile", "does not belong to the private key of this entry"),
        .catalog(key, key + "\n      - { id: OTHER12345, publicKeyFile: old.pem }").fine,
        .catalog(key, key + "\n      - { id: OTHER12345, publicKeyFile: root.pem }")
            .fault("7: apps[0].keys[1].publicKeyFile", "is not the public key of a P-256 key"),
        Self(
            edits: [
                .init(
                    "catalog.yaml",
                    key,
                    "{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }\n"
                        + "      - { id: OTHER12345, publicKeyFile: old.pem, issuerId: 57246542-96fe-1a63-e053-0824d011072a }"
                ), .init("catalog.yaml", "receipts: serverAPI", "receipts: verifyReceipt"),
            ],
            place: "catalog.yaml:6: apps[0].keys[0]",
            says: "has no issuerId, but the key OTHER12345 has one",
            finding: .warning
        ),
        otherApp("appAppleId: 2, keys: [\(key)]", "", "", as: .none),
        otherApp(
            "appAppleId: 1234567890, keys: [\(key)]",
            "4: apps[1].appAppleId",
            "is also apps[0].appAppleId, on line 2",
            as: .warning
        ),
        otherApp("keys: []", "2: apps[0].keys", "is empty"),
    ]

    /// Another app before the first, in one line.
    private static func otherApp(_ members: String, _ place: String, _ says: String, as finding: Finding = .fault)
        -> Self
    {
        let app = "  - { bundleId: com.example.other, \(members), subscriptionGroups: [] }\n"
        return .catalog("apps:\n", "apps:\n" + app).finds(finding, place, says)
    }
}

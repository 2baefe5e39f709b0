@testable import offer_signer

extension ConfigurationChange {
    private static let zeros = String(repeating: "0", count: 64)

    /// `appStore.roots`, on the line of `additionalRoots`.
    private static func roots(_ value: String, _ place: String, _ says: String) -> Self {
        .main("additionalRoots: []", "roots: \(value)").fault("15: appStore.roots\(place)", says)
    }

    static let ofMainFile: [Self] = [
        .main("port: 8080", "port: 65536").fault("1: server.port", "is not a whole number from 0 to 65535"),
        .main("port: 8080", "port: 80x").fault("1: server.port", ": is not a whole number"),
        .main("port: 8080", "port: 8080, limits: { maximumUnfinishedBytes: 2097151 }")
            .fault("1: server.limits.maximumUnfinishedBytes", "has to hold the longest body; write 2097152 or more"),
        .main("9090", "9090, hosts: [http://a]").fault("2: admin.hosts[0]", "is not a host; write a name"),
        .main("9090", "9090, hosts: a").fault("2: admin.hosts", "a list is needed"),
        .main("port: 8080", "prot: 8080").fault("1: server.prot", "did you mean \"port\"?"),
        .main("port: 8080", "port: [8080]").fault("1: server.port", "is a list"),
        .main("port: 8080", "port: !!str 8080").fine,
        .main("clients:  clients.yaml", "clients:").fault("4: clients", "has no value"),
        .main("port: 8080", "tls: true").fault("1: server.tls", "mapping"),
        .main("port: 8080", "tls: { privateKeyFil: b }").fault("1: server.tls.privateKeyFil", "privateKeyFile"),
        .main("port: 8080", "port: 9090").fault("2: admin.port", "9090 is also server.port"),
        .main("port: 8081", "port: 8080").fault("9: notifications.port", "8080 is also server.port"),
        .main("{ host: 127.0.0.1, port: 8080 }", "8080").fault("1: server", "is a single value; a mapping is needed"),
        .main("{ host: 127.0.0.1, port: 8080 }", "{ host: \"[::1]\" }").fault("1: server.host", "without brackets"),
        .main("{ host: 127.0.0.1, port: 8080 }", "{ host: \"127.0.0.1:80\" }")
            .fault("1: server.host", "scheme, path and port"),
        .main("{ host: 127.0.0.1, port: 8080 }", "{ host: http://x/ }").fault("1: server.host", "is not a host"),
        .main("{ host: 127.0.0.1, port: 8080 }", "{ host: \"\" }").fault("1: server.host", "is not a host"),
        .main("clients:  clients.yaml", "clients:  none.yaml").fault("4: clients", "\"none.yaml\": no such file"),
        .main("sqlite:ledger.sqlite", "mysql://u:hunter2@h/d")
            .fault("5: ledger.url", "neither sqlite:FILE nor postgres://"),
        .main("sqlite:ledger.sqlite", "postgres://u:hunter2@h/d").fault("5: ledger.url", "carries a password"),
        .main("sqlite:ledger.sqlite", "postgres://u@h/d?password=hunter2").fault("5: ledger.url", "carries a password"),
        .main("sqlite:ledger.sqlite", "sqlite:").fault("5: ledger.url", "names no file"),
        .main("url: \"sqlite:ledger.sqlite\"", "retentionDays: 0")
            .fault("5: ledger.retentionDays", "is not a whole number from 1"),
        .main("url: \"sqlite:ledger.sqlite\"", "digestKeyFile: \"\"")
            .fault("5: ledger.digestKeyFile", "is empty; write the path"),
        .main("url: \"sqlite:ledger.sqlite\"", "digestKeyFile: none.key")
            .fault("5: ledger.digestKeyFile", "no such file"),
        .main("url: \"sqlite:ledger.sqlite\"", "digestKeyFile: short.key")
            .fault("5: ledger.digestKeyFile", "32 or more are needed"),
        .main("url: \"sqlite:ledger.sqlite\"", "checkpointKeyFile: x.p8")
            .fault("5: ledger.checkpointKeyFile", "no such file"),
        .main("86400", "1d").fault("7: evidence.maximumAgeSeconds", "not a whole number"),
        .main("2592000", "2592000.0").fault("8: evidence.signedTransactionMaximumAgeSeconds", "not a whole number"),
        .main("https://buy.itunes", "http://buy.itunes").fault("11: appStore.verifyReceiptURL", "is not https"),
        .main("https://api.storekit.apple.com", "api.storekit.apple.com")
            .fault("13: appStore.serverAPIURL", "is not a URL"),
        .main("https://api.storekit.apple.com", "\"https:// a\"").fault("13: appStore.serverAPIURL", "is not a URL"),
        .main("https://api.storekit.apple.com", "https://u:hunter2@h")
            .fault("13: appStore.serverAPIURL", "is not a URL of scheme"),
        .main("https://api.storekit.apple.com", "https://a:0")
            .fault("13: appStore.serverAPIURL", "is not a URL of scheme"),
        .main("https://api.storekit.apple.com", "https://a:99999999999999999999/")
            .fault("13: appStore.serverAPIURL", "is not a URL of scheme"),
        .main("additionalRoots: []", "additionalRoots: [root.pem, x.pem]")
            .fault("15: appStore.additionalRoots[1]", "no such file"),
        .main("additionalRoots: []", "additionalRoots: [old.pem]")
            .fault("15: appStore.additionalRoots[0]", "holds no X.509 certificate"),
        .main("additionalRoots: []", "additionalRoots: root.pem")
            .fault("15: appStore.additionalRoots", "a list is needed"),
        .main("additionalRoots: []", "additionalRoots: [root.pem]")
            .warning("15: appStore.additionalRoots[0]", "use this for tests only"),
        roots("[{ file: root.pem }]", "[0].sha256", "write the SHA-256 that Apple publishes"),
        roots("[{ file: root.pem, sha256: abc }]", "[0].sha256", "is no SHA-256; write its 64 hexadecimal digits"),
        roots("[{ file: root.pem, sha256: \(zeros) }]", "[0].sha256", "is not the SHA-256 of"),
        roots("[{ file: x.pem, sha256: \(zeros) }]", "[0].file", "no such file"),
        roots("[{ file: old.pem, sha256: \(zeros) }]", "[0].file", "holds no X.509 certificate"),
        roots("[root.pem]", "[0]", "file, sha256"),
        retention(29, as: .warning), retention(30, as: .none), retention(31, as: .none),
        .main("https://buy.itunes.apple.com/verifyReceipt", "http://127.0.0.1:8082/verifyReceipt").fine,
        // A default of a malformed port is the port of no other listener.
        Self(
            edits: [.init(file, "port: 8080", "port: 80x"), .init(file, "port: 9090", "port: 8080")],
            place: "offer-signer.yaml:1: server.port",
            says: "is not a whole number"
        ),
        Self(
            edits: [.init(file, "port: 8080", "port: 1"), .init(file, "port: 9090", "port: 8080")],
            flags: ["server.port": "80x"],
            place: "--server-port",
            says: "is not a whole number"
        ),
        // A value is looked at though an override hides it.
        Self(
            edits: [.init(file, "port: 8080", "port: 80x")],
            flags: ["server.port": "80"],
            place: "offer-signer.yaml:1: server.port",
            says: "is not a whole number"
        ),
        confirmation(beside: [withoutIssuer]),
        confirmation(beside: [], as: .none),
        confirmation(
            beside: [
                withoutIssuer, .init("catalog.yaml", "receipts: serverAPI", "receipts: verifyReceipt"),
                .init(
                    "clients.yaml",
                    "signaturesPerSecond: 2000",
                    "signaturesPerSecond: 2000, evidence: [receipt, transactionId]"
                ),
            ],
            as: .none
        ),
    ]

    private static let file = "offer-signer.yaml"

    private static let withoutIssuer = ConfigurationFixture.Edit(
        "catalog.yaml",
        ", issuerId: 57246542-96fe-1a63-e053-0824d011072a",
        ""
    )

    /// Signed transactions are to be confirmed, for apps that the App Store can be asked about.
    private static func confirmation(beside edits: [ConfigurationFixture.Edit], as finding: Finding = .fault) -> Self {
        Self(
            edits: edits + [.init(file, "evidence:\n", "evidence:\n  confirmSignedTransactions: true\n")],
            place: "offer-signer.yaml:7: evidence.confirmSignedTransactions",
            says: "needs the App Store Server API for \"com.example.reader\"",
            finding: finding
        )
    }

    private static func retention(_ days: Int, as finding: Finding) -> Self {
        .main("url: \"sqlite:ledger.sqlite\"", "retentionDays: \(days)")
            .finds(
                finding,
                "5: ledger.retentionDays",
                "maximumSignaturesPerCustomer of the offer \"comeback50\" counts those of 30 days"
            )
    }
}

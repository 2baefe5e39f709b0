import Foundation

@testable import offer_signer

extension ConfigurationChange {
    private static let second = ConfigurationFixture.token.replacing("acf6", with: "0000")

    static let ofClients: [Self] = [
        .clients("apps: [com.example.reader]", "apps: [com.example.raeder]")
            .fault("apps[0]", "did you mean \"com.example.reader\"?"),
        .clients("apps: [com.example.reader]", "apps: []").fault("apps", "is empty"),
        .clients("apps: [com.example.reader], ", "").fault("apps", "is missing"),
        .clients("name: reader-backend, ", "").fault("name", "is missing"),
        .clients("name: reader-backend", "name: \" \"").fault("name", "white space"),
        .clients("name: reader-backend", "name: offer-signer sign").fault("name", "what an operator signs"),
        .clients("name: reader-backend", "name: none").fault("name", "requests without a client's token"),
        .clients("\(ConfigurationFixture.token)", "my-secret-token")
            .fault("tokenSHA256", "has 15 characters, and is not the SHA-256"),
        .clients("\(ConfigurationFixture.token)", "g\(ConfigurationFixture.token.dropFirst())")
            .fault("tokenSHA256", "64 hexadecimal"),
        .clients("signaturesPerSecond: 2000", "signaturesPerSecond: 0")
            .fault("signaturesPerSecond", "is not a whole number from 1"),
        .clients("signaturesPerSecond: 2000", "concurrentRequests: 0")
            .fault("concurrentRequests", "is not a whole number from 1"),
        .clients("\"\(ConfigurationFixture.token)\"", "[]").fault("tokenSHA256", "is empty"),
        .clients(
            "\"\(ConfigurationFixture.token)\"",
            "[\(ConfigurationFixture.token), \(second), \(second.replacing("0000", with: "1111"))]"
        )
        .fault("tokenSHA256", "a client has one, or two"),
        .clients(
            "\"\(ConfigurationFixture.token)\"",
            "[\(ConfigurationFixture.token), \(ConfigurationFixture.token.uppercased())]"
        )
        .fault("tokenSHA256[1]", "is also clients[0].tokenSHA256[0], on line 2"),
        .clients("\"\(ConfigurationFixture.token)\"", "{ expires: 2099-01-01T00:00:00Z }")
            .fault("tokenSHA256.sha256", "is missing"),
        .clients("\"\(ConfigurationFixture.token)\"", "[{ sha256: \(ConfigurationFixture.token), expires: tomorrow }]")
            .fault("tokenSHA256[0].expires", "2026-01-01T00:00:00Z"),
        .clients("signaturesPerSecond: 2000", "scopes: [sing]").fault("scopes[0]", "did you mean \"sign\"?"),
        .clients("signaturesPerSecond: 2000", "scopes: []").fault("scopes", "is empty"),
        .clients("signaturesPerSecond: 2000", "evidence: [receipts]").fault("evidence[0]", "did you mean \"receipt\"?"),
        .clients("signaturesPerSecond: 2000", "token: x").fault("token", "is not known"),
        .clients("[Production]", "[sandbox]").fault("environments[0]", "did you mean \"Sandbox\"?"),
        .clients("[Production]", "[]").fault("environments", "is empty; name at least one, or leave the key out"),
        .clients("[Production]", "[Xcode]")
            .fault("environments", "leaves no evidence that counts for \"com.example.reader\""),
        sandbox("environments: [Production], ", "", as: .warning),
        sandbox("[Production]", "[Production, Sandbox]", as: .warning),
        sandbox("[Production]", "[Sandbox]", as: .none),
        sandbox("environments: [Production]", "scopes: [eligibility]", as: .none),
        sandbox("environments: [Production], ", "", [.init("catalog.yaml", ", Sandbox]", "]")], as: .none),
        sandbox(
            "environments: [Production], ",
            "",
            [.init("catalog.yaml", "- id: stay30", "- id: stay30\n                maximumSignaturesPerCustomer: 9")],
            as: .none
        ),
        sandbox(
            "environments: [Production], ",
            "",
            [
                .init(
                    "catalog.yaml",
                    "    subscriptionGroups:",
                    "    retention: { messages: { m: { default: \(UUID().uuidString) } }, "
                        + "rules: [{ offer: stay30, message: m }, { message: m }] }\n    subscriptionGroups:"
                )
            ],
            as: .none
        ),
        .clients("name: reader-backend", "name: retention").fault("name", "is the ledger's name for Apple's calls"),
        another("name: reader-backend", "tokenSHA256: \"\(second)\"", "name"),
        another("name: other", "tokenSHA256: \(ConfigurationFixture.token.uppercased())", "tokenSHA256"),
        Self(
            edits: [.init("clients.yaml", ConfigurationFixture.clients, "clients: []\n")],
            place: "clients.yaml:1: clients",
            says: "is empty",
            finding: .warning
        ),
        // Without a catalog nobody knows which apps there are.
        .catalog("bundleId: com.example.reader", "bundleId: \"\"").fault("2: apps[0].bundleId", "is empty"),
        demo("0.0.0.0"), demo("::"), demo("signer.example"), demo("::1", as: .none),
    ]

    /// Of the client's environments, and of offers that are signed without a limit.
    private static func sandbox(
        _ old: String,
        _ new: String,
        _ more: [ConfigurationFixture.Edit] = [],
        as finding: Finding
    ) -> Self {
        Self(
            edits: more + [.init("clients.yaml", old, new)],
            place: "clients.yaml:2: clients[0]",
            says: "where the offer \"stay30\" has no maximumSignaturesPerCustomer: a signature names no environment",
            finding: finding
        )
    }

    /// A client before the first.
    private static func another(_ name: String, _ token: String, _ key: String) -> Self {
        let client = "  - { \(name), \(token), apps: [com.example.reader] }\n"
        return Self(
            edits: [.init("clients.yaml", "clients:\n", "clients:\n" + client)],
            place: "clients.yaml:3: clients[1].\(key)",
            says: "is also clients[0].\(key), on line 2"
        )
    }

    /// The demo token, of `printf demo-token-for-loopback-only | sha256sum`, where others could reach the service.
    private static func demo(_ host: String, as finding: Finding = .fault) -> Self {
        let token = "a2eb0cb85028ab838f872cd9f62a032fe4cf601e62117adad71c360d3b3481e6"
        return Self(
            edits: [
                .init("clients.yaml", ConfigurationFixture.token, token),
                .init("catalog.yaml", "file: SubscriptionKey_EXAMPLE123.p8", "file: other.p8"),
            ],
            flags: ["server.host": host],
            place: "clients.yaml:2: clients[0].tokenSHA256",
            says: "make a token of your own with `offer-signer clients token`",
            finding: finding
        )
    }
}

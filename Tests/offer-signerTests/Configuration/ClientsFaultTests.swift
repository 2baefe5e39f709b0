import Testing

@testable import offer_signer

/// Each way to get `clients.yaml` wrong is one fault, at its line and key path.
@Suite struct ClientsFaultTests {
    private static let second = ConfigurationFixture.token.replacing("acf6", with: "0000")

    @Test(arguments: [
        ("apps: [com.example.reader]", "apps: [com.example.raeder]", "apps[0]", "did you mean \"com.example.reader\"?"),
        ("apps: [com.example.reader]", "apps: []", "apps", "is empty"),
        ("apps: [com.example.reader], ", "", "apps", "is missing"),
        ("name: reader-backend, ", "", "name", "is missing"),
        ("name: reader-backend", "name: \" \"", "name", "white space"),
        (
            "\(ConfigurationFixture.token)", "my-secret-token", "tokenSHA256",
            "has 15 characters, and is not the SHA-256"
        ),
        (
            "\(ConfigurationFixture.token)", "g\(ConfigurationFixture.token.dropFirst())", "tokenSHA256",
            "64 hexadecimal"
        ),
        ("signaturesPerSecond: 2000", "signaturesPerSecond: 0", "signaturesPerSecond", "out of range"),
        ("signaturesPerSecond: 2000", "concurrentRequests: 0", "concurrentRequests", "out of range"),
        ("\"\(ConfigurationFixture.token)\"", "[]", "tokenSHA256", "is empty"),
        (
            "\"\(ConfigurationFixture.token)\"",
            "[\(ConfigurationFixture.token), \(second), \(second.replacing("0000", with: "1111"))]", "tokenSHA256",
            "a client has one, or two"
        ),
        (
            "\"\(ConfigurationFixture.token)\"",
            "[\(ConfigurationFixture.token), \(ConfigurationFixture.token.uppercased())]", "tokenSHA256[1]",
            "is given twice for this client"
        ),
        ("signaturesPerSecond: 2000", "scopes: [sing]", "scopes[0]", "did you mean \"sign\"?"),
        ("signaturesPerSecond: 2000", "scopes: []", "scopes", "is empty"),
        ("signaturesPerSecond: 2000", "evidence: [receipts]", "evidence[0]", "did you mean \"receipt\"?"),
        ("signaturesPerSecond: 2000", "token: x", "token", "is not known"),
    ])
    func isOneFaultAtItsPlace(_ old: String, _ new: String, _ key: String, _ fragment: String) throws {
        let fixture = try ConfigurationFixture([.init("clients.yaml", old, new)])
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix("clients.yaml:2: clients[0].\(key): ") == true, "\(faults)")
        #expect(faults.first?.contains(fragment) == true, "\(faults)")
        // Someone may have put the token itself where its digest belongs.
        #expect(!faults.description.contains("my-secret-token"))
    }

    @Test(arguments: [
        ("name: reader-backend", "tokenSHA256: \"\(second)\"", "name", "the name of another client"),
        (
            "name: other", "tokenSHA256: \(ConfigurationFixture.token.uppercased())", "tokenSHA256",
            "the token of another client"
        ),
    ])
    func namesAndTokensAreUnique(_ name: String, _ token: String, _ key: String, _ meaning: String) throws {
        let client = "  - { \(name), \(token), apps: [com.example.reader] }\n"
        let fixture = try ConfigurationFixture([.init("clients.yaml", "clients:\n", "clients:\n" + client)])
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(
            faults.first?.hasPrefix(
                "clients.yaml:3: clients[1].\(key): is also \(meaning), on line 2: clients[0].\(key)"
            ) == true
        )
    }

    @Test func appsAreNotCheckedAgainstACatalogThatCannotBeRead() throws {
        let fixture = try ConfigurationFixture([
            .init("catalog.yaml", "bundleId: com.example.reader", "bundleId: \"\"")
        ])
        #expect(fixture.faults().map { $0.prefix(15) } == ["catalog.yaml:2:"])
    }

    /// Of `printf demo-token-for-loopback-only | sha256sum`.
    private static let demo = "a2eb0cb85028ab838f872cd9f62a032fe4cf601e62117adad71c360d3b3481e6"

    @Test func theDemoTokenIsRefusedWhereStrangersReachTheServer() throws {
        let fixture = try ConfigurationFixture([.init("clients.yaml", ConfigurationFixture.token, Self.demo)])
        #expect(fixture.faults().isEmpty)
        #expect(fixture.faults(flags: ["server.host": "::1"]).isEmpty)
        for host in ["0.0.0.0", "::", "signer.example"] {
            let faults = fixture.faults(flags: ["server.host": host])
            #expect(faults.count == 1)
            #expect(faults.first?.hasPrefix("clients.yaml:2: clients[0].tokenSHA256: is the demo token") == true)
            #expect(faults.first?.contains("`offer-signer clients token`") == true)
        }
    }
}

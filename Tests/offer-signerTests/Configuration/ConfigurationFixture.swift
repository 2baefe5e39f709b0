import Crypto
import FoundationEssentials
import Testing

@testable import offer_signer

/// The contract's three sample files, without what `check` warns of, with the files that they name, in a directory that goes away with the fixture.
final class ConfigurationFixture {
    let directory: String

    /// Writes the files; each edit replaces a text that stands exactly once in a file by another.
    init(_ edits: [Edit] = []) throws {
        directory = FileManager.default.temporaryDirectory.path + "/configuration-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var files = [
            "offer-signer.yaml": Self.main, "catalog.yaml": Self.catalog, "clients.yaml": Self.clients,
            "reader.secret": "0123456789abcdef0123456789abcdef\n", "old.pem": Self.old, "root.pem": Self.root,
            "short.key": "31 bytes are not enough for it.", "open.p8": Self.other,
        ]
        let demo = URL(filePath: #filePath).appending(path: "../../../../keys.example/SubscriptionKey_EXAMPLE123.p8")
        let key = try String(decoding: Data(contentsOf: demo.standardized), as: UTF8.self)
        let privateFiles = [
            "SubscriptionKey_EXAMPLE123.p8": key, "SubscriptionKey_OTHER12345.p8": key, "AuthKey_EXAMPLE123.p8": key,
            "other.p8": Self.other, "digest.key": "32 bytes are enough for a digest",
        ]
        for edit in edits {
            let text = try #require(files[edit.file])
            try #require(text.ranges(of: edit.old).count == 1, "\(edit.old) is not exactly once in \(edit.file)")
            files[edit.file] = text.replacing(edit.old, with: edit.new)
        }
        for (name, text) in files { try write(Array(text.utf8), to: name) }
        for (name, text) in privateFiles {
            try write(Array(text.utf8), to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    struct Edit {
        let file: String
        let old: String
        let new: String

        init(_ file: String, _ old: String, _ new: String) {
            self.file = file
            self.old = old
            self.new = new
        }
    }

    func path(_ name: String) -> String { directory + "/" + name }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(filePath: path(name))) }

    func load(
        flags: [String: String] = [:],
        environment: [String: String] = [:],
        keyRing: KeyRing? = nil,
        ledger: LedgerFileCheck? = nil
    ) throws(ConfigurationFaults) -> Settings {
        try Settings.load(
            file: path("offer-signer.yaml"),
            flags: flags,
            environment: environment,
            keyRing: keyRing,
            ledger: ledger
        )
    }

    /// The faults of a load, one a line, without the directory; empty when there are none.
    func faults(flags: [String: String] = [:], environment: [String: String] = [:]) -> [String] {
        do {
            _ = try load(flags: flags, environment: environment)
            return []
        } catch {
            return error.faults.map { $0.description.replacing(directory + "/", with: "") }
        }
    }

    /// The faults and warnings of `check`, which loads the keys too and looks at the ledger, one a line.
    func check(flags: [String: String] = [:], environment: [String: String] = [:]) -> (
        faults: [String], warnings: [String]
    ) {
        func text(_ finding: Any) -> String { "\(finding)".replacing(directory + "/", with: "") }
        do {
            let ring = KeyRing()
            let settings = try load(flags: flags, environment: environment, keyRing: ring, ledger: .beforeStart)
            return ([], settings.warnings.map(text))
        } catch {
            return (error.faults.map(text), [])
        }
    }

    /// Another key than the demo key.
    private static let other = P256.Signing.PrivateKey().pemRepresentation

    /// The public half of a third one.
    private static let old = P256.Signing.PrivateKey().publicKey.pemRepresentation

    static let main = """
        server:   { host: 127.0.0.1, port: 8080 }        # port 0: any free one
        admin:    { host: 127.0.0.1, port: 9090 }        # never on the public port
        catalog:  catalog.yaml
        clients:  clients.yaml
        ledger:   { url: "sqlite:ledger.sqlite" }
        evidence:
          maximumAgeSeconds: 86400
          signedTransactionMaximumAgeSeconds: 2592000
        notifications: { host: 0.0.0.0, port: 8081 }
        appStore:
          verifyReceiptURL: https://buy.itunes.apple.com/verifyReceipt
          sandboxVerifyReceiptURL: https://sandbox.itunes.apple.com/verifyReceipt
          serverAPIURL: https://api.storekit.apple.com
          sandboxServerAPIURL: https://api.storekit-sandbox.apple.com
          additionalRoots: []

        """

    static let catalog = """
        apps:
          - bundleId: com.example.reader
            appAppleId: 1234567890
            environments: [Production, Sandbox]
            keys:
              - { id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8, issuerId: 57246542-96fe-1a63-e053-0824d011072a }
            sharedSecretFile: reader.secret
            receipts: serverAPI
            requireAccount: false
            customerSeparator: ":"
            maximumAccountsPerTransaction: 3
            subscriptionGroups:
              - id: "20900001"
                products:
                  - id: com.example.reader.pro.monthly
                    offers:
                      - id: comeback50
                        audience: [lapsed]
                        maxRedemptions: 1
                        maximumSignaturesPerCustomer: 5
                      - id: stay30
                        audience: [activeAutoRenewOff, billingRetry]
                        startsAt: 2026-01-01T00:00:00Z
                        endsAt: 2027-01-01T00:00:00Z

        """

    /// A certificate for `additionalRoots`.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBgDCCASWgAwIBAgIUfTpKrzuWTRn0+tzIrsO5fptBh3gwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJVGVzdCBSb290MCAXDTI2MTEyMTA1NTUzNloYDzIxMjYxMDI4
        MDU1NTM2WjAUMRIwEAYDVQQDDAlUZXN0IFJvb3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQG4Blmrzg5qkjEbNNZoHzw6b/XysIGa4EviiwoVZyKOYrGivhy20XQ
        x7Zhfx+nW2KTDUJiZtzMUfCpRbC2SBzRo1MwUTAdBgNVHQ4EFgQU7+s9uDjYHedG
        Urc0CmFz5puKRxkwHwYDVR0jBBgwFoAU7+s9uDjYHedGUrc0CmFz5puKRxkwDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA1c1xr23Yioep371AYfEm
        qkj+rWOykaWt1YVD8FFcjqYCIQDjjAup2miT8lvuqPAyikeBvGThvE9wyhppEBAO
        C7ULFg==
        -----END CERTIFICATE-----

        """

    static let clients = """
        clients:
          - { name: reader-backend, tokenSHA256: "\(token)", apps: [com.example.reader], environments: [Production], signaturesPerSecond: 2000 }

        """

    /// Of `printf client-token | sha256sum`.
    static let token = "acf6b6f1c492a018d86d7bdb01852131ea7533992c5a0246d24c4ec74b56aff0"
}

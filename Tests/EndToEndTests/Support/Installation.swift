import ChildProcess
import Foundation

/// A complete configuration with a freshly made key, in a directory of its own.
struct Installation {
    static let token = "end-to-end-token"
    static let bundleId = "com.example.reader"

    let directory: TemporaryDirectory

    var configuration: String { directory.path("offer-signer.yaml") }
    var key: String { directory.path("SubscriptionKey_TESTKEY001.p8") }
    var publicKey: String { directory.path("public.pem") }

    /// Writes the configuration.
    ///
    /// - Parameter token: The client's token.
    /// - Throws: `Failure` when a tool fails.
    init(token: String = Self.token) throws {
        directory = try TemporaryDirectory()
        try openssl(
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            directory.path("SubscriptionKey_TESTKEY001.p8")
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try openssl("pkey", "-in", key, "-pubout", "-out", publicKey)
        try directory.write(
            "offer-signer.yaml",
            """
            server: { host: 127.0.0.1, port: 0 }
            admin: { host: 127.0.0.1, port: 0 }
            catalog: catalog.yaml
            clients: clients.yaml
            """
        )
        try directory.write(
            "catalog.yaml",
            """
            apps:
              - bundleId: \(Self.bundleId)
                keys: [{ id: TESTKEY001, file: SubscriptionKey_TESTKEY001.p8 }]
                subscriptionGroups:
                  - id: "20900001"
                    products:
                      - id: pro.monthly
                        offers:
                          - { id: anyone }
                          - { id: comeback50, audience: [lapsed] }
            """
        )
        try writeClients(token: token)
    }

    /// Writes the one client.
    ///
    /// - Parameter token: Its token.
    /// - Throws: `Failure` when a tool fails.
    func writeClients(token: String = Self.token) throws {
        let digest = try Executable.run(
            [],
            of: "/usr/bin/sha256sum",
            input: Data(token.utf8)
        ).text.prefix(64)
        try directory.write(
            "clients.yaml",
            "clients: [{ name: backend, tokenSHA256: \"\(digest)\", apps: [\(Self.bundleId)], "
                + "evidence: [receiptResponse, receipt, signedTransactions, transactionId] }]\n"
        )
    }

    /// Runs `openssl`.
    ///
    /// - Parameter arguments: Its arguments.
    /// - Returns: What it wrote to standard output.
    /// - Throws: `Failure` when it fails.
    @discardableResult
    func openssl(_ arguments: String...) throws -> String {
        let outcome = try Executable.run(arguments, of: "/usr/bin/openssl")
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
        return outcome.text
    }

    /// Whether `openssl` takes a signed offer's signature for one over Apple's seven fields.
    ///
    /// - Parameters:
    ///   - discount: The `discount` of an answer.
    ///   - product: The product.
    ///   - account: The account field.
    ///   - publicKey: The file of the public key; that of the first key by default.
    /// - Returns: What `openssl dgst -verify` says.
    /// - Throws: The error of writing its input.
    func verifies(
        _ discount: [String: Any],
        product: String,
        account: String,
        publicKey: String? = nil
    ) throws -> Bool {
        let fields: [Any?] = [
            Self.bundleId, discount["keyIdentifier"], product, discount["identifier"], account, discount["nonce"],
            discount["timestamp"],
        ]
        let payload = fields.map { "\($0 ?? "missing")" }.joined(separator: "\u{2063}")
        let name = UUID().uuidString
        try directory.write(name, payload)
        let signature = Data(base64Encoded: discount["signature"] as? String ?? "") ?? Data()
        try signature.write(to: directory.url.appending(path: name + ".sig"))
        let outcome = try Executable.run(
            [
                "dgst", "-sha256", "-verify", publicKey ?? self.publicKey, "-signature", directory.path(name + ".sig"),
                directory.path(name),
            ],
            of: "/usr/bin/openssl"
        )
        return outcome.status == 0 && outcome.text.contains("Verified OK")
    }
}

/// What went wrong in the tests' own machinery.
struct Failure: Error {
    let text: String
}

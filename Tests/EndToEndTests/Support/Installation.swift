import ChildProcess
import Foundation

/// A complete configuration with a freshly made key, in a directory of its own.
struct Installation {
    static let token = "end-to-end-token"
    static let bundleId = "com.example.reader"

    private static let settings = """
        server: { host: 127.0.0.1, port: 0 }
        admin: { host: 127.0.0.1, port: 0 }
        catalog: catalog.yaml
        clients: clients.yaml
        """

    let directory: TemporaryDirectory

    var configuration: String { directory.path("offer-signer.yaml") }
    var key: String { directory.path("SubscriptionKey_TESTKEY001.p8") }
    var publicKey: String { directory.path("TESTKEY001.pem") }

    init(token: String = Self.token) throws {
        directory = try TemporaryDirectory()
        try makeKey("TESTKEY001")
        try directory.write("offer-signer.yaml", Self.settings)
        try writeCatalog(keys: Self.entry("TESTKEY001"))
        try writeClients(token: token)
    }

    func writeClients(token: String = Self.token) throws {
        try directory.write(
            "clients.yaml",
            "clients: [{ name: backend, tokenSHA256: \"\(try Self.digest(of: token))\", apps: [\(Self.bundleId)], "
                + "evidence: [receiptResponse, receipt, signedTransactions, transactionId] }]\n"
        )
    }

    /// The digest of a token, by another program than the service.
    static func digest(of token: String) throws -> String {
        String(try Executable.run([], of: "/usr/bin/sha256sum", input: Data(token.utf8)).text.prefix(64))
    }

    /// Replaces a text that is in a file of the configuration once.
    func edit(_ file: String, _ old: String, _ new: String) throws {
        let text = try String(contentsOf: directory.url.appending(path: file), encoding: .utf8)
        guard text.ranges(of: old).count == 1 else { throw Failure(text: "\(old) is not once in \(text)") }
        try directory.write(file, text.replacing(old, with: new))
    }

    /// Adds lines to the main file, or to its first ones alone.
    func configure(_ lines: String, anew: Bool = false) throws {
        let text = try anew ? Self.settings : String(contentsOfFile: configuration, encoding: .utf8)
        try directory.write("offer-signer.yaml", "\(text)\n\(lines)\n")
    }

    /// Puts members into the catalog's offer `anyone`, and lines into its app.
    func limit(offer: String, app: String = "") throws {
        if !offer.isEmpty { try edit("catalog.yaml", "id: anyone", "id: anyone, \(offer)") }
        if !app.isEmpty { try edit("catalog.yaml", "    keys:", app + "    keys:") }
    }

    @discardableResult
    func openssl(_ arguments: String...) throws -> String { try openssl(arguments) }

    @discardableResult
    func openssl(_ arguments: [String]) throws -> String {
        let outcome = try Executable.run(arguments, of: "/usr/bin/openssl")
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
        return outcome.text
    }

    /// Whether `openssl` takes the signature of a `discount` for one over Apple's seven fields.
    func verifies(
        _ discount: [String: Any],
        product: String = "pro.monthly",
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

import Foundation

extension Installation {
    /// Makes a key `SubscriptionKey_ID.p8`, and its public half `ID.pem`.
    func makeKey(_ id: String) throws {
        try makeKeyFile("SubscriptionKey_\(id).p8")
        try writePublicKey(of: "SubscriptionKey_\(id).p8", to: "\(id).pem")
    }

    private func writePublicKey(of name: String, to pem: String) throws {
        try openssl("pkey", "-in", directory.path(name), "-pubout", "-out", directory.path(pem))
    }

    func makeKeyFile(_ name: String) throws {
        let file = directory.path(name)
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Makes a key for App Store Connect; returns the path of its public key.
    func makeConnectKey(_ name: String) throws -> String {
        try makeKeyFile(name)
        try writePublicKey(of: name, to: "connect.pem")
        return directory.path("connect.pem")
    }

    /// Rewrites the catalog with a list of keys such as `{ id: A, file: a.p8 }`, at once for its readers.
    func writeCatalog(keys: String) throws {
        let text = """
            apps:
              - bundleId: \(Self.bundleId)
                keys: [\(keys)]
                subscriptionGroups:
                  - id: "20900001"
                    products:
                      - id: pro.monthly
                        offers:
                          - { id: anyone }
                          - { id: comeback50, audience: [lapsed] }

            """
        try Data(text.utf8).write(to: directory.url.appending(path: "catalog.yaml"), options: .atomic)
    }

    /// The catalog's text for a key with its private file.
    static func entry(_ id: String) -> String { "{ id: \(id), file: SubscriptionKey_\(id).p8 }" }

    /// Keeps the ledger in PostgreSQL, or elsewhere, with keys of its own.
    func keepLedger(in url: String) throws {
        try directory.write("digest.key", UUID().uuidString, mode: 0o600)
        try makeKeyFile("checkpoint.p8")
        try configure("ledger: { url: \"\(url)\", digestKeyFile: digest.key, checkpointKeyFile: checkpoint.p8 }")
    }
}

import Foundation

/// Keys beside the first one, and catalogs that name them.
extension Installation {
    /// Makes a key, and its public half beside it.
    ///
    /// - Parameter id: The key's identifier.
    /// - Throws: `Failure` when `openssl` fails.
    func makeKey(_ id: String) throws {
        let file = directory.path("SubscriptionKey_\(id).p8")
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try openssl("pkey", "-in", file, "-pubout", "-out", directory.path("\(id).pem"))
    }

    /// Rewrites the catalog with other keys, at once for whoever reads it.
    ///
    /// - Parameter keys: The text of the list, such as `{ id: A, file: a.p8 }`.
    /// - Throws: The error of writing it.
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
}

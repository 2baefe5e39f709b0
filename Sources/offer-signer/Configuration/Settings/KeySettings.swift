/// A key of an app, by its files, which are not read here.
struct KeySettings: Equatable, Sendable {
    /// The key's identifier in App Store Connect.
    let id: String
    /// The absolute path of the private key (P8); the first key of an app has one.
    let file: String?
    /// The absolute path of the public key; it is enough for a retired key.
    let publicKeyFile: String?
    /// The issuer of the key in App Store Connect, a UUID, where the key or its app names it: the format `jws` and calls to the App Store Server API need
    /// the first key's.
    let issuerId: String?
}

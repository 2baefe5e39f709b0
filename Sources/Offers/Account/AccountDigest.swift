/// A keyed digest of an account: what stands for it wherever something is kept.
///
/// Without the key nobody can tell whose it is, nor try names until one fits.
public struct AccountDigest: Hashable, Sendable {
    /// The bytes: 16 or more, of an HMAC (RFC 2104).
    public let bytes: [UInt8]

    /// Takes the bytes of a digest.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Hashes the bytes all at once: an array would have each of them hashed by itself.
    ///
    /// - Parameter hasher: What hashes them.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// What stands for the account's token in held transactions: a UUID that nobody can compute without the key.
    public var pseudonym: AppAccountToken {
        AppAccountToken(lowercased: String.uuid(octets: bytes.count) { bytes[$0] })
    }
}

extension Account {
    /// The text by which state is found for the account; `nil` for none.
    ///
    /// A name that is a UUID is the same account as the token: StoreKit stores it as one.
    public var stateKey: String? {
        switch self {
        case .none: nil
        case .appAccountToken, .applicationUsername: storedToken?.lowercased ?? payloadField
        }
    }
}

import Crypto

/// A key that no longer signs, of which the public half is kept, to recognise what it signed.
struct RetiredKey: Sendable {
    /// The key's identifier in App Store Connect.
    let keyIdentifier: String
    /// The public key.
    let publicKey: P256.Signing.PublicKey
}

import Crypto
import Offers

/// A signer whose certificate has been followed to a trusted root.
struct VerifiedSigner: Sendable {
    /// The key of the first certificate.
    let publicKey: P256.Signing.PublicKey
    /// From when to when, both included, every certificate up to the root is valid.
    let validity: ClosedRange<Timestamp>
    /// Whether the one certificate is itself a root that the operator trusts, as with StoreKit testing in Xcode.
    let isSelfSigned: Bool
    /// Whether the chain ends at Apple's own root, not at one that the operator trusts.
    let isApples: Bool
}

/// A key that can sign offers, requests to Apple and the ledger's checkpoints: the port to the room where keys live.
///
/// The signature is ECDSA over P-256 and SHA-256, as Apple asks for promotional offers; RFC 7518 §3.4 names it ES256.
/// Implementations sign inline, on the caller's thread: a signature takes tens of microseconds, less than a thread hop.
public protocol ES256Signer: Sendable {
    /// The key's identifier in App Store Connect, ten characters: the `keyIdentifier` of an `SKPaymentDiscount`.
    var keyIdentifier: String { get }

    /// Signs the message's SHA-256.
    ///
    /// - Parameter message: The bytes to sign, whole and unhashed.
    /// - Returns: The signature as ASN.1 DER (RFC 3279 §2.2.3, `ECDSA-Sig-Value`), 70 to 72 bytes as a rule.
    /// - Throws: ``SigningFailure`` when the key cannot sign. Nothing was signed then.
    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8]
}

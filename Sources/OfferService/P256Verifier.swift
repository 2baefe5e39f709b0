import Crypto
import FoundationEssentials
public import Offers

/// Verifies a report's signature with swift-crypto: a stranger's bytes never reach OpenSSL.
public struct P256Verifier: SignatureVerifier {
    /// The key's identifier in App Store Connect.
    public let keyIdentifier: String

    private let key: P256.Signing.PublicKey

    /// Takes a public key.
    ///
    /// - Parameters:
    ///   - keyIdentifier: The key's identifier in App Store Connect.
    ///   - subjectPublicKeyInfo: The DER of its SubjectPublicKeyInfo (RFC 5280 §4.1.2.7). What is no P-256 key gives `nil`.
    public init?(keyIdentifier: String, subjectPublicKeyInfo: [UInt8]) {
        guard let key = try? P256.Signing.PublicKey(derRepresentation: subjectPublicKeyInfo) else { return nil }
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Whether a signature is by this key.
    ///
    /// - Parameters:
    ///   - signature: The signature, DER or raw.
    ///   - message: The bytes that were signed, whole and unhashed.
    /// - Returns: Whether it is; `false` as well for what is no signature.
    public func isSignature(_ signature: SignatureText.Form, over message: [UInt8]) -> Bool {
        let parsed =
            switch signature {
            case .der(let bytes): try? P256.Signing.ECDSASignature(derRepresentation: bytes)
            case .raw(let bytes): try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
            }
        return parsed.map { key.isValidSignature($0, for: message) } ?? false
    }
}

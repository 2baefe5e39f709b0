import Crypto
import FoundationEssentials
package import Offers

/// Verifies a report's signature with swift-crypto: a stranger's bytes never reach OpenSSL.
package struct P256Verifier: SignatureVerifier {
    package let keyIdentifier: String

    private let key: P256.Signing.PublicKey

    /// Reads a SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7); `nil` for anything but a P-256 key.
    package init?(keyIdentifier: String, subjectPublicKeyInfo: [UInt8]) {
        guard let key = try? P256.Signing.PublicKey(derRepresentation: subjectPublicKeyInfo) else { return nil }
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Whether a DER or raw signature over a whole, unhashed message is by this key; `false`, too, for other bytes.
    package func isSignature(
        _ signature: SignatureText.Form,
        over message: [UInt8],
        hashedBy hash: SignedHash
    ) -> Bool {
        let parsed =
            switch signature {
            case .der(let bytes): try? P256.Signing.ECDSASignature(derRepresentation: bytes)
            case .raw(let bytes): try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
            }
        guard let parsed else { return false }
        return switch hash {
        case .sha256: key.isValidSignature(parsed, for: SHA256.hash(data: message))
        case .sha256Twice: key.isValidSignature(parsed, for: SHA256.hash(data: Array(SHA256.hash(data: message))))
        case .sha256OfHexadecimal:
            key.isValidSignature(
                parsed,
                for: SHA256.hash(data: Array(Hexadecimal.text(SHA256.hash(data: message)).utf8))
            )
        case .sha512: key.isValidSignature(parsed, for: SHA512.hash(data: message))
        case .sha384: key.isValidSignature(parsed, for: SHA384.hash(data: message))
        case .sha3: key.isValidSignature(parsed, for: SHA3_256.hash(data: message))
        // Broken, and never to be used: the diagnosis names a backend that has signed so.
        case .sha1: key.isValidSignature(parsed, for: Insecure.SHA1.hash(data: message))
        case .md5: key.isValidSignature(parsed, for: Insecure.MD5.hash(data: message))
        }
    }
}

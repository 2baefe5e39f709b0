/// The public half of one of an app's keys: the port by which a report's signature is verified.
///
/// The signature is a stranger's bytes, so implementations use memory-safe code, never OpenSSL.
public protocol SignatureVerifier: Sendable {
    /// The key's identifier in App Store Connect.
    var keyIdentifier: String { get }

    /// Whether a signature is by this key.
    ///
    /// - Parameters:
    ///   - signature: The signature, DER or raw.
    ///   - message: The bytes that were signed, whole and unhashed.
    ///   - hash: How they were hashed.
    /// - Returns: Whether it is; `false` as well for what is no signature.
    func isSignature(_ signature: SignatureText.Form, over message: [UInt8], hashedBy hash: SignedHash) -> Bool
}

/// How a message was hashed before it was signed: rightly, or as backends do by mistake, the likeliest first.
public enum SignedHash: String, CaseIterable, Sendable {
    /// As Apple asks for.
    case sha256 = "SHA-256"
    /// The SHA-256 of the SHA-256: a digest was handed to a function that hashes by itself.
    case sha256Twice = "SHA-256 twice"
    case sha512 = "SHA-512"
    case sha1 = "SHA-1"
    case sha384 = "SHA-384"
    /// The SHA-256 of the SHA-256's hexadecimal text.
    case sha256OfHexadecimal = "SHA-256 of the SHA-256 in hexadecimal"
    case sha3 = "SHA3-256"
    case md5 = "MD5"
}

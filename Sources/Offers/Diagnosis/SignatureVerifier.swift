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
    /// - Returns: Whether it is; `false` as well for what is no signature.
    func isSignature(_ signature: SignatureText.Form, over message: [UInt8]) -> Bool
}

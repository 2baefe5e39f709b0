import Crypto
public import Offers

/// Makes digests of accounts by HMAC with SHA-256 (RFC 2104).
public struct HMACAccountDigester: AccountDigester {
    private let key: SymmetricKey

    /// Takes a key.
    ///
    /// - Parameter key: 32 bytes or more that nobody else knows; another key makes other digests.
    public init(key: [UInt8]) {
        self.key = SymmetricKey(data: key)
    }

    /// Makes a key by chance: its digests are of use as long as the process runs.
    ///
    /// - Returns: The digester.
    public static func random() -> HMACAccountDigester {
        var generator = SystemRandomNumberGenerator()
        return HMACAccountDigester(key: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Makes a digest.
    ///
    /// - Parameters:
    ///   - text: The account's text.
    ///   - bundleId: The app.
    /// - Returns: The digest.
    public func digest(of text: String, bundleId: String) -> AccountDigest {
        // No bundle identifier has a NUL.
        let message = Array(bundleId.utf8) + [0] + Array(text.utf8)
        return AccountDigest(Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }
}

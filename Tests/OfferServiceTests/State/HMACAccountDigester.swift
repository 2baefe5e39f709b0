import Crypto
import Offers

/// Makes digests of accounts by HMAC with SHA-256 (RFC 2104).
struct HMACAccountDigester: AccountDigester {
    private let key: SymmetricKey

    init(key: [UInt8]) {
        self.key = SymmetricKey(data: key)
    }

    func digest(of text: String, bundleId: String) -> AccountDigest {
        // No bundle identifier has a NUL.
        let message = Array(bundleId.utf8) + [0] + Array(text.utf8)
        return AccountDigest(Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }
}

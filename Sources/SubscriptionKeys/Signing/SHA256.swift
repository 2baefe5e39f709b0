import COpenSSL

/// SHA-256 (FIPS 180-4).
enum SHA256 {
    /// The length of a digest, in bytes.
    static let length = 32

    /// The digest of some public bytes, for the paths that are not hot.
    static func digest(of bytes: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        OpenSSLFailure.clearQueue()
        var digest = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
            throw OpenSSLFailure(after: "EVP_Digest")
        }
        return digest
    }
}

import COpenSSL

extension P256Key {
    /// Whether the public point is that of the private number.
    ///
    /// `EVP_PKEY_public_check` and `EVP_PKEY_private_check` both pass for a point of another key.
    func isConsistentPair() -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        defer { OpenSSLFailure.clearQueue() }
        return unsafe EVP_PKEY_pairwise_check(context) == 1
    }

    /// Whether a signature over the message is by this key.
    ///
    /// - Parameters:
    ///   - signature: ASN.1 DER, as this process made it.
    ///   - message: The bytes that were signed, whole and unhashed.
    /// - Returns: False as well when OpenSSL could not tell.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        defer { OpenSSLFailure.clearQueue() }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

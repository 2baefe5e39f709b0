extension ES256Signer {
    /// Signs the message's SHA-256, in the form that JWS takes.
    ///
    /// - Parameter message: The bytes to sign, whole and unhashed.
    /// - Returns: r and s, big-endian, 32 bytes each (RFC 7518 §3.4).
    /// - Throws: ``SigningFailure`` when the key cannot sign. Nothing was signed then.
    public func rawSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        guard let raw = RawSignature(der: try derSignature(over: message)) else {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "the signature is no ECDSA-Sig-Value of P-256")
        }
        return raw.bytes
    }
}

/// The two halves of a key as they come from a file, shown to belong together.
struct KeyPair {
    /// The key with its private number, in the secure heap.
    let privateKey: P256Key
    /// The public half alone, as everybody else sees it: the judge of what the private key signs.
    let publicKey: P256Key
    /// The public key as the DER of a SubjectPublicKeyInfo.
    let publicKeySPKI: [UInt8]
    /// The SHA-256 of ``publicKeySPKI``.
    let fingerprint: [UInt8]

    /// Builds the key of a PKCS#8 file.
    ///
    /// - Parameter der: The file's DER, in a ``SecureBuffer``. Only read.
    /// - Throws: A ``KeyFault`` that says what the key is instead, or which part of it is wrong.
    init(pkcs8 der: Span<UInt8>) throws(KeyFault) {
        let info = try PrivateKeyInfo(parsing: der)
        let scalar = try PrivateScalar(bigEndian: der.extracting(info.scalar))
        // The point is public: it may be an array.
        let publicPoint =
            if let point = info.publicPoint { point.map { der[$0] } } else { try scalar.publicPoint() }
        publicKeySPKI = P256.subjectPublicKeyInfo(of: publicPoint)
        do throws(OpenSSLFailure) {
            publicKey = try P256Key(publicPoint: publicPoint)
        } catch {
            throw KeyFault(.foreignPublicPoint, "holds a public point that is not on P-256")
        }
        do throws(OpenSSLFailure) {
            privateKey = try P256Key(scalar: scalar, publicPoint: publicPoint)
            fingerprint = try SHA256.digest(of: publicKeySPKI)
        } catch {
            throw KeyFault(error)
        }
        guard privateKey.isConsistentPair() else {
            throw KeyFault(.foreignPublicPoint, "holds the public point of another key")
        }
    }
}

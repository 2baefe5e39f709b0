import Crypto
package import Offers

/// The keys of the ledger's digests and statements.
package struct LedgerKeys: Sendable {
    /// The key of the digests of accounts.
    package let digestKey: DigestKey
    /// Signs statements.
    private let checkpointSigner: any ES256Signer
    /// The public half of the key that signs statements.
    let checkpointKey: P256.Signing.PublicKey

    /// Creates the pair.
    ///
    /// - Parameters:
    ///   - digestKey: The key of the digests of accounts.
    ///   - checkpointSigner: Signs statements.
    ///   - checkpointKeySPKI: The public half of that key, as SubjectPublicKeyInfo.
    /// - Throws: ``StorageFailure`` when that is none.
    package init(
        digestKey: DigestKey,
        checkpointSigner: any ES256Signer,
        checkpointKeySPKI: [UInt8]
    ) throws(StorageFailure) {
        self.digestKey = digestKey
        self.checkpointSigner = checkpointSigner
        do {
            checkpointKey = try P256.Signing.PublicKey(derRepresentation: checkpointKeySPKI)
        } catch {
            throw StorageFailure(.otherKeys, "the ledger's checkpoint key is not one of P-256")
        }
    }

    /// Signs a statement.
    ///
    /// - Parameter message: Its bytes.
    /// - Returns: The signature, ASN.1 DER.
    /// - Throws: ``StorageFailure``.
    func sign(_ message: [UInt8]) throws(StorageFailure) -> [UInt8] {
        do throws(SigningFailure) {
            return try checkpointSigner.derSignature(over: message.span)
        } catch {
            throw StorageFailure(.unavailable, "a statement of the ledger could not be signed: \(error.detail)")
        }
    }
}

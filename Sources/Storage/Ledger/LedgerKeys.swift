import Crypto
package import Offers

package struct LedgerKeys: Sendable {
    package let digestKey: DigestKey
    private let checkpointSigner: any ES256Signer
    let checkpointKey: P256.Signing.PublicKey

    /// Takes the public half of the signer's key as SubjectPublicKeyInfo.
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

    /// The public half of the checkpoint key as SubjectPublicKeyInfo.
    var checkpointKeySPKI: [UInt8] { Array(checkpointKey.derRepresentation) }

    /// Refuses the checkpoint key where another has taken its place since this process opened the ledger.
    func checkIsNewest(_ session: any Session) throws(StorageFailure) {
        try LedgerKeyMarks(digestKey: nil, checkpointKeySPKI: checkpointKeySPKI).check(session, at: "the ledger")
    }

    /// The signature of a statement, ASN.1 DER.
    ///
    /// A wrong one is not stored: nothing could be signed after it, and it might give the key away.
    func sign(_ message: [UInt8]) throws(StorageFailure) -> [UInt8] {
        let signature: [UInt8]
        do throws(SigningFailure) {
            signature = try checkpointSigner.derSignature(over: message.span)
        } catch {
            throw StorageFailure(.unavailable, "a statement of the ledger could not be signed: \(error.detail)")
        }
        guard checkpointKey.isSignature(signature, of: message) else {
            throw StorageFailure(.unavailable, "a statement of the ledger was signed wrongly, and was not stored")
        }
        return signature
    }
}

public import Offers

/// What the ledger's digests and checkpoints are made with.
public struct LedgerKeys: Sendable {
    /// The key of the digests of accounts.
    public let digestKey: DigestKey
    /// Signs checkpoints.
    public let checkpointSigner: any ES256Signer

    /// Creates the pair.
    ///
    /// - Parameters:
    ///   - digestKey: The key of the digests of accounts.
    ///   - checkpointSigner: Signs checkpoints.
    public init(digestKey: DigestKey, checkpointSigner: any ES256Signer) {
        self.digestKey = digestKey
        self.checkpointSigner = checkpointSigner
    }

    func checkpoint(
        _ kind: LedgerCheckpoint.Kind,
        of writer: String,
        at head: LedgerChain.Head,
        time: Timestamp,
        beginning: [UInt8]? = nil
    ) throws(StorageFailure) -> LedgerCheckpoint {
        do throws(SigningFailure) {
            return try LedgerCheckpoint(
                kind,
                of: writer,
                at: head,
                time: time,
                beginning: beginning,
                signer: checkpointSigner
            )
        } catch {
            throw StorageFailure(.unavailable, "a checkpoint could not be signed: \(error.detail)")
        }
    }
}

/// Finds what was signed: the port to the ledger for diagnoses.
public protocol SignatureRecall: Sendable {
    /// The signature with a nonce.
    ///
    /// - Parameters:
    ///   - nonce: The nonce in lowercase.
    ///   - accounts: The accounts that may have been signed: others are known by digests alone.
    /// - Returns: The signature; `nil` when none is on record, or the ledger cannot be read.
    func signature(nonce: String, accounts: [Account]) async -> RecordedSignature?
}

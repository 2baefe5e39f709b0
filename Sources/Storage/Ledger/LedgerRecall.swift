import Dispatch
package import Offers

/// Finds signatures in a ledger by their nonces, for diagnoses.
package struct LedgerRecall: SignatureRecall {
    private let archive: any LedgerArchive
    private let digestKey: DigestKey

    /// Uses a ledger.
    ///
    /// - Parameters:
    ///   - archive: The ledger, to be read.
    ///   - digestKey: The key of the digests by which it knows accounts.
    package init(_ archive: any LedgerArchive, digestKey: DigestKey) {
        self.archive = archive
        self.digestKey = digestKey
    }

    /// The signature with a nonce.
    ///
    /// - Parameters:
    ///   - nonce: The nonce in lowercase.
    ///   - accounts: The accounts that may have been signed.
    /// - Returns: The signature; `nil` when none is on record, or the ledger cannot be read.
    package func signature(nonce: String, accounts: [Account]) async -> RecordedSignature? {
        let record: LedgerRecord? = await withCheckedContinuation { continuation in
            // Databases block: not on a thread of the cooperative pool.
            DispatchQueue.global(qos: .utility).async { [archive] in
                continuation.resume(returning: (try? archive.record(nonce: nonce)) ?? nil)
            }
        }
        guard let record else { return nil }
        return RecordedSignature(
            client: record.client,
            bundleId: record.bundleId,
            keyIdentifier: record.keyIdentifier,
            productId: record.productId,
            offerId: record.offerId,
            account: account(of: record, among: accounts),
            timestamp: record.timestamp,
            isDiscount: record.format == SignatureForm.discount.rawValue,
            originalTransactionId: record.originalTransactionId
        )
    }

    /// The ledger's records of a customer.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts.
    /// - Throws: `StorageFailure` when the ledger cannot be read.
    package func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        guard let database = archive as? any SQLDatabase else { return LedgerAnswer() }
        return try await database.answer { [digestKey] session throws(StorageFailure) in
            try session.answer(to: question, digestKey)
        }
    }

    private func account(of record: LedgerRecord, among accounts: [Account]) -> RecordedSignature.SignedAccount {
        guard let digest = record.account else { return .none }
        let known = accounts.first { digestKey.digest(of: $0, bundleId: record.bundleId) == digest }
        return known.map { .known($0) } ?? .other
    }
}

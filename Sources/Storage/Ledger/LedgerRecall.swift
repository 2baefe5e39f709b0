import Dispatch
package import Offers

/// Finds signatures in a ledger by their nonces, for diagnoses.
package struct LedgerRecall: SignatureRecall {
    private let database: any SQLDatabase
    private let digestKey: DigestKey

    package init(_ database: any SQLDatabase, digestKey: DigestKey) {
        self.database = database
        self.digestKey = digestKey
    }

    /// The signature with a nonce in lowercase, by an account that may be one of these; `nil` when none is on record, or the
    /// ledger cannot be read.
    package func signature(nonce: String, accounts: [Account]) async -> RecordedSignature? {
        let found = try? await DispatchQueue.global(qos: .utility).perform { [database] () throws(StorageFailure) in
            guard let record = try database.record(nonce: nonce) else { return nil as Found? }
            return (record, try database.use(of: record))
        }
        guard let (record, use) = found else { return nil }
        return RecordedSignature(
            bundleId: record.bundleId,
            keyIdentifier: record.keyIdentifier,
            productId: record.productId,
            offerId: record.offerId,
            account: account(of: record, among: accounts),
            timestamp: record.timestamp,
            isDiscount: record.format == SignatureForm.discount.rawValue,
            originalTransactionId: record.originalTransactionId,
            use: use
        )
    }

    private typealias Found = (record: LedgerRecord, use: RecordedSignature.Use?)

    package func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        try await database.answer { [digestKey] session throws(StorageFailure) in
            try session.answer(to: question, digestKey)
        }
    }

    private func account(of record: LedgerRecord, among accounts: [Account]) -> RecordedSignature.SignedAccount {
        guard let digest = record.account else { return .none }
        let known = accounts.first { digestKey.digest(of: $0, bundleId: record.bundleId) == digest }
        return known.map { .known($0) } ?? .other
    }
}

extension SQLDatabase {
    /// The redemption that a signature made possible; `nil` where none is on record.
    fileprivate func use(of record: LedgerRecord) throws(StorageFailure) -> RecordedSignature.Use? {
        try read { session throws(StorageFailure) in
            let rows = try session.run(RedemptionSQL.bySignature, .text(record.writer), .integer(record.number))
            return rows.count > 0 ? RecordedSignature.Use(redeemedAt: try rows.optionalTime(0, 0)) : nil
        }
    }
}

package import Offers

/// The signed statements of a ledger, at one moment.
struct LedgerSignatures: Sendable {
    var chains: [LedgerChain] = []
    var statements: [LedgerStatement] = []
    /// One, where nobody tampered.
    var checkpoints: [LedgerCheckpoint] = []
    var losses: [LedgerLoss] = []
    var keyChanges: [LedgerKeyChange] = []
}

/// A ledger to be read: page by page, so that it may be as long as it likes.
///
/// A row that is nothing of it is a ``StorageFailure`` of the code ``StorageFailure/Code/malformed``.
extension SQLDatabase {
    func signatures() throws(StorageFailure) -> LedgerSignatures {
        try read { session throws(StorageFailure) in
            LedgerSignatures(
                chains: try session.chains(),
                statements: try session.statements(),
                checkpoints: try session.checkpoints(),
                losses: try session.run(LedgerLoss.all).losses(),
                keyChanges: try session.keyChanges()
            )
        }
    }

    func orphans() throws(StorageFailure) -> [LedgerOrphan] {
        try read { session throws(StorageFailure) in
            let rows = try session.run(LedgerOrphan.all)
            return rows.rows.map { row in
                LedgerOrphan(writer: (try? rows.text(row, 0)) ?? "?", firstNumber: try? rows.integer(row, 1))
            }
        }
    }

    /// The statement that the first records of a chain were deleted; `nil` where they were not.
    func stump(of writer: String) throws(StorageFailure) -> LedgerStatement? {
        try read { session throws(StorageFailure) in
            try session.statements(of: writer).first { $0.kind == .retention }
        }
    }

    /// The lowest number of a chain's records; `nil` when there are none.
    func firstNumber(of writer: String) throws(StorageFailure) -> Int64? {
        try read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.firstNumber, .text(writer))
            return rows.count > 0 ? try rows.integer(0, 0) : nil
        }
    }

    /// The records of a chain after one, in their order; fewer than the limit at the end.
    func records(
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerRecord] {
        try read { session throws(StorageFailure) in
            try session.run(LedgerSQL.records, .text(writer), .integer(number), .integer(Int64(limit))).records()
        }
    }

    /// The records of all chains after a place, in the order of their times; fewer than the limit at the end.
    ///
    /// An error names the record at fault.
    package func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord] {
        do throws(StorageFailure) {
            return try read { session throws(StorageFailure) in
                try session.run(
                    LedgerSQL.recordsByTime,
                    .time(place.time),
                    .text(place.writer),
                    .integer(place.number),
                    .integer(Int64(limit))
                ).records(isNamed: true)
            }
        } catch {
            guard error.code == .malformed else { throw error }
            throw StorageFailure(
                .malformed,
                "\(name): \(error.detail): somebody changed it; see what `offer-signer ledger verify` says, and restore the "
                    + "ledger from a backup"
            )
        }
    }

    /// The record of a signature, by its nonce in lowercase; `nil` when there is none.
    package func record(nonce: String) throws(StorageFailure) -> LedgerRecord? {
        try read { session throws(StorageFailure) in
            guard session.dialect == .postgreSQL else { return try NonceSQL.record(nonce: nonce, in: session) }
            return try session.run(LedgerSQL.recordsOfNonce, .text(nonce)).records().first
        }
    }
}

/// A writer that has records or statements, but no chain: somebody put them in, or took the chain away.
struct LedgerOrphan: Equatable, Sendable {
    var writer: String
    /// The number of the first record; `nil` when there are statements alone, or it is no number.
    var firstNumber: Int64?

    /// Steps from writer to writer by the primary keys, over all that each has written, in one statement: what it sees
    /// was there at one moment, so that no chain that begins meanwhile is missed.
    static let all = """
        WITH RECURSIVE
            recorders (writer) AS (\(writers(of: "ledger_records", after: "recorders"))),
            signers (writer) AS (\(writers(of: "ledger_statements", after: "signers")))
        SELECT found.writer AS writer,
            (SELECT MIN(number) FROM ledger_records WHERE ledger_records.writer = found.writer) AS number
        FROM (SELECT writer FROM recorders UNION SELECT writer FROM signers) AS found
        WHERE found.writer IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM ledger_chains WHERE ledger_chains.writer = found.writer)
        ORDER BY found.writer
        """

    private static func writers(of table: String, after step: String) -> String {
        """
        SELECT MIN(writer) FROM \(table) UNION ALL
            SELECT (SELECT MIN(\(table).writer) FROM \(table) WHERE \(table).writer > \(step).writer)
            FROM \(step) WHERE \(step).writer IS NOT NULL
        """
    }
}

package import Offers

/// The signed statements of a ledger, at one moment.
package struct LedgerSignatures: Sendable {
    /// All chains, in the order in which they began.
    var chains: [LedgerChain] = []
    /// The statements about them.
    var statements: [LedgerStatement] = []
    /// The checkpoints: one, where nobody tampered.
    var checkpoints: [LedgerCheckpoint] = []
    /// The records that the database is said to have lost.
    var losses: [LedgerLoss] = []
}

/// A ledger to be read: page by page, so that it may be as long as it likes.
package protocol LedgerArchive: Sendable {
    /// Its signed statements, at one moment.
    ///
    /// - Throws: ``StorageFailure``; its code is ``StorageFailure/Code/malformed`` for a row that is nothing of it.
    func signatures() throws(StorageFailure) -> LedgerSignatures

    /// The writers who have records or statements, but no chain: none unless somebody tampered.
    ///
    /// - Throws: ``StorageFailure``.
    func orphans() throws(StorageFailure) -> [LedgerOrphan]

    /// The statement that the first records of a chain were deleted; `nil` where they were not.
    ///
    /// - Throws: ``StorageFailure``.
    func stump(of writer: String) throws(StorageFailure) -> LedgerStatement?

    /// The lowest number of a chain's records; `nil` when there are none.
    ///
    /// - Throws: ``StorageFailure``; its code is ``StorageFailure/Code/malformed`` when it is no number.
    func firstNumber(of writer: String) throws(StorageFailure) -> Int64?

    /// The records of a chain, in their order.
    ///
    /// - Parameters:
    ///   - writer: The chain's writer.
    ///   - number: The number of the record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records; fewer than the limit at the end.
    /// - Throws: ``StorageFailure``; its code is ``StorageFailure/Code/malformed`` for a row that is no record.
    func records(of writer: String, after number: Int64, limit: Int) throws(StorageFailure) -> [LedgerRecord]

    /// The records of all chains, in the order of their times.
    ///
    /// - Parameters:
    ///   - place: The record before the first.
    ///   - limit: How many at the most.
    /// - Returns: The records; fewer than the limit at the end.
    /// - Throws: ``StorageFailure``, which names the record at fault.
    func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord]

    /// The record of a signature.
    ///
    /// - Parameter nonce: The signature's nonce, in lowercase.
    /// - Returns: The record; `nil` when there is none.
    /// - Throws: ``StorageFailure``.
    func record(nonce: String) throws(StorageFailure) -> LedgerRecord?
}

extension LedgerArchive where Self: SQLDatabase {
    package func signatures() throws(StorageFailure) -> LedgerSignatures {
        try read { session throws(StorageFailure) in
            LedgerSignatures(
                chains: try session.chains(),
                statements: try session.statements(),
                checkpoints: try session.checkpoints(),
                losses: try session.run([LedgerLoss.all]).first?.losses() ?? []
            )
        }
    }

    package func orphans() throws(StorageFailure) -> [LedgerOrphan] {
        try read { session throws(StorageFailure) in
            let rows = try session.run(LedgerOrphan.all)
            var orphans: [LedgerOrphan] = []
            for row in rows.rows {
                orphans.append(
                    LedgerOrphan(writer: (try? rows.text(row, 0)) ?? "?", firstNumber: try? rows.integer(row, 1))
                )
            }
            return orphans
        }
    }

    package func stump(of writer: String) throws(StorageFailure) -> LedgerStatement? {
        try read { session throws(StorageFailure) in
            try session.statements(of: writer).first { $0.kind == .retention }
        }
    }

    package func firstNumber(of writer: String) throws(StorageFailure) -> Int64? {
        try read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.firstNumber, .text(writer))
            return rows.count > 0 ? try rows.integer(0, 0) : nil
        }
    }

    package func records(
        of writer: String,
        after number: Int64,
        limit: Int
    ) throws(StorageFailure) -> [LedgerRecord] {
        try read { session throws(StorageFailure) in
            try session.run(LedgerSQL.records, .text(writer), .integer(number), .integer(Int64(limit))).records()
        }
    }

    package func records(after place: LedgerPlace, limit: Int) throws(StorageFailure) -> [LedgerRecord] {
        do throws(StorageFailure) {
            return try read { session throws(StorageFailure) in
                try session.run(
                    LedgerSQL.recordsByTime,
                    .integer(place.time.millisecondsSince1970),
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

    package func record(nonce: String) throws(StorageFailure) -> LedgerRecord? {
        try read { session throws(StorageFailure) in
            guard session.dialect == .postgreSQL else { return try NonceSQL.record(nonce: nonce, in: session) }
            return try session.run(LedgerSQL.recordsOfNonce, .text(nonce)).records().first
        }
    }
}

/// A writer that has records or statements, but no chain: somebody put them in, or took the chain away.
package struct LedgerOrphan: Equatable, Sendable {
    /// The writer.
    package var writer: String
    /// The number of the first record; `nil` when there are statements alone, or it is no number.
    package var firstNumber: Int64?

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

import Offers

/// What the ledger reads, row by row; the columns are those of ``LedgerSQL``.
extension PostgreSQLRows {
    /// Records.
    ///
    /// - Throws: ``PostgreSQLError`` for a row that is no record.
    func records() throws(PostgreSQLError) -> [LedgerRecord] {
        var records: [LedgerRecord] = []
        records.reserveCapacity(count)
        for row in rows {
            records.append(
                LedgerRecord(
                    writer: try text(row, 0),
                    number: try integer(row, 1),
                    time: Timestamp(millisecondsSince1970: try integer(row, 2)),
                    client: try text(row, 3),
                    bundleId: try text(row, 4),
                    productId: try text(row, 5),
                    offerId: try text(row, 6),
                    format: try text(row, 7),
                    keyIdentifier: try text(row, 8),
                    nonce: try text(row, 9),
                    timestamp: Timestamp(millisecondsSince1970: try integer(row, 10)),
                    reason: try text(row, 11),
                    evidence: try optionalText(row, 12),
                    environment: try optionalText(row, 13),
                    originalTransactionId: try optionalText(row, 14),
                    account: try optionalBytes(row, 15),
                    customer: try bytes(row, 16),
                    hash: try bytes(row, 17)
                )
            )
        }
        return records
    }

    /// Chains.
    ///
    /// - Throws: ``PostgreSQLError`` for a row that is no chain.
    func chains() throws(PostgreSQLError) -> [LedgerChain] {
        var chains: [LedgerChain] = []
        for row in rows {
            var head: LedgerChain.Head?
            if let number = try optionalInteger(row, 3), let hash = try optionalBytes(row, 4) {
                head = LedgerChain.Head(number: number, hash: hash)
            }
            chains.append(
                LedgerChain(
                    writer: try text(row, 0),
                    startedAt: Timestamp(millisecondsSince1970: try integer(row, 1)),
                    previousWriter: try optionalText(row, 2),
                    previousHead: head
                )
            )
        }
        return chains
    }

    /// Writers without a chain.
    ///
    /// - Throws: ``PostgreSQLError`` for a row of another shape.
    func strays() throws(PostgreSQLError) -> [LedgerStray] {
        var strays: [LedgerStray] = []
        for row in rows {
            strays.append(LedgerStray(writer: try text(row, 0), firstNumber: try optionalInteger(row, 1)))
        }
        return strays
    }

    /// The position in a list, from zero, of what a row's first column counts from one.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - count: How long the list is.
    /// - Returns: The position.
    /// - Throws: ``PostgreSQLError`` when the list has no such position.
    func position(_ row: Int, among count: Int) throws(PostgreSQLError) -> Int {
        let ordinal = try integer(row, 0)
        guard ordinal >= 1, ordinal <= Int64(count) else { throw PostgreSQLError(.unexpectedAnswer) }
        return Int(ordinal - 1)
    }

    /// How far a chain is; `nil` when there is no row.
    ///
    /// - Throws: ``PostgreSQLError`` for a row of another shape.
    func head() throws(PostgreSQLError) -> LedgerChain.Head? {
        guard count > 0 else { return nil }
        return LedgerChain.Head(number: try integer(0, 0), hash: try bytes(0, 1))
    }

    /// Signed statements about a chain.
    ///
    /// - Parameters:
    ///   - kind: What they state.
    ///   - writer: The chain's writer.
    /// - Returns: The statements.
    /// - Throws: ``PostgreSQLError`` for a row that is no statement.
    func checkpoints(
        _ kind: LedgerCheckpoint.Kind,
        of writer: String
    ) throws(PostgreSQLError) -> [LedgerCheckpoint] {
        var checkpoints: [LedgerCheckpoint] = []
        for row in rows {
            checkpoints.append(
                LedgerCheckpoint(
                    writer: writer,
                    kind: kind,
                    number: try integer(row, 0),
                    hash: try bytes(row, 1),
                    time: Timestamp(millisecondsSince1970: try integer(row, 2)),
                    signature: try bytes(row, 3)
                )
            )
        }
        return checkpoints
    }
}

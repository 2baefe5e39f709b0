import Offers

/// Reads back what a commit has written: a signature leaves only when its record is there as it was written.
enum LedgerReadBack {
    /// Asked row by row, by the primary key.
    private static let presentations = """
        SELECT count(*) FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::int8[])
            AS written (bundle_id, environment, original_transaction_id, customer, last_seen)
        WHERE last_seen = (SELECT kept.last_seen FROM ledger_presentations AS kept
            WHERE kept.bundle_id = written.bundle_id AND kept.environment = written.environment
                AND kept.original_transaction_id = written.original_transaction_id AND kept.customer = written.customer)
        """

    /// Adds the statements to a commit.
    static func expect(_ decision: LedgerBatch.Decision, in session: any Session) throws(StorageFailure) {
        // What somebody has put off to the end of the transaction happens here.
        if session.dialect == .postgreSQL { try session.send(SQLCall("SET CONSTRAINTS ALL IMMEDIATE")) }
        if let first = decision.records.first {
            // One more than these may have got in.
            let call = SQLCall(
                LedgerSQL.records,
                .text(first.writer),
                .integer(first.number - 1),
                .integer(Int64(decision.records.count) + 1)
            )
            try session.expect(call, decision.records)
        }
        for row in decision.answers {
            let start = SQLValue.integer(row.time.millisecondsSince1970 - 1)
            try session.expect(SQLCall(LedgerSQL.storedAnswer, row.place.values + [start]), row.content)
        }
        // SQLite takes presentations one by one, and counts each.
        guard session.dialect == .postgreSQL, !decision.presentations.isEmpty else { return }
        let rows = PostgreSQLBatch.PresentationRows(decision.presentations)
        try session.expect(SQLCall(presentations, rows.columns), [.integer(Int64(rows.count))])
    }
}

extension Session {
    /// Adds records, and notes the customers that subscriptions were presented for: SQLite takes them value by value, and
    /// PostgreSQL all rows in one statement.
    func insert(
        _ records: [LedgerRecord],
        _ presentations: [PresentedSubscription: LedgerBatch.Presented]
    ) throws(StorageFailure) {
        guard let file = self as? SQLiteSession else {
            return try send(PostgreSQLBatch.insert(records, presentations))
        }
        try file.work { connection throws(SQLiteConnection.Failure) in
            try connection.insert(LedgerSQL.insertRecord, records) { record, row in
                record.appendValues(to: &row)
                row.append(record.hash)
            }
        }
        for (subscription, customers) in presentations {
            for (customer, time) in customers {
                let values = subscription.values + [.bytes(customer), .integer(time)]
                let rows = try run(SQLCall(LedgerSQL.insertPresentation, values))
                // No trigger runs, so that a row that SQLite has counted is there as it was given.
                guard rows.changes == 1 else { throw .notKept }
            }
        }
    }

    /// Runs a statement whose only answer may be these records: SQLite compares them where it has them.
    fileprivate func expect(_ call: SQLCall, _ records: [LedgerRecord]) throws(StorageFailure) {
        guard let file = self as? SQLiteSession else { return try expect(call, Cells(records).values) }
        let areKept = try file.work { connection throws(SQLiteConnection.Failure) in
            try connection.answers(call, records) { record, row in
                record.appendValues(to: &row)
                row.append(record.hash)
            }
        }
        guard areKept else { throw .notKept }
    }
}

/// The values of records, as PostgreSQL answers them.
private struct Cells: LedgerValues {
    private(set) var values: [SQLValue] = []

    init(_ records: [LedgerRecord]) {
        for record in records {
            record.appendValues(to: &self)
            append(record.hash)
        }
    }

    mutating func append(_ number: Int64) { values.append(.integer(number)) }
    mutating func append(_ text: String?) { values.append(SQLValue(text)) }
    mutating func append(_ bytes: [UInt8]?) { values.append(SQLValue(bytes)) }
}

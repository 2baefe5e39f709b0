import Offers

/// Reads back what a commit has written: a signature leaves only when its record is there as it was written.
enum LedgerReadBack {
    /// Why nothing leaves.
    static let fault = StorageFailure(
        .malformed,
        "the database did not keep what was written to it: see what `offer-signer ledger verify` says"
    )

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
        for (answer, time) in decision.answers {
            let start = SQLValue.integer(time.millisecondsSince1970 - 1)
            try session.expect(SQLCall(LedgerSQL.keptAnswer, answer.call.values + [start]), [.bytes(answer.body)])
        }
        try expect(decision.presentations, in: session)
    }

    private static func expect(
        _ presented: [PresentedSubscription: LedgerBatch.Presented],
        in session: any Session
    ) throws(StorageFailure) {
        let rows = presented.flatMap { subscription, customers in
            customers.map { (subscription: subscription, customer: $0.key, time: $0.value) }
        }
        // SQLite takes them one by one, and counts each.
        guard session.dialect == .postgreSQL, !rows.isEmpty else { return }
        let call = SQLCall(
            presentations,
            .texts(rows.map(\.subscription.bundleId)),
            .texts(rows.map(\.subscription.environment)),
            .texts(rows.map(\.subscription.originalTransactionId)),
            .byteStrings(rows.map(\.customer)),
            .integers(rows.map(\.time))
        )
        try session.expect(call, [.integer(Int64(rows.count))])
    }

    /// The values of records, as a database answers them.
    struct Cells: LedgerValues {
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
}

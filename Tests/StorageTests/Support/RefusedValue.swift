import Offers

/// A value that the database of a ledger refuses, though nothing of the service does.
enum RefusedValue {
    /// The identifier of a transaction with U+0000, which no text of PostgreSQL's holds.
    static let transaction = "66\u{0}6"

    /// Makes a home refuse the value.
    ///
    /// SQLite takes all texts: its table gets a rule.
    ///
    /// - Parameters:
    ///   - fixture: The ledger, whose tables are there.
    ///   - table: The table that must not hold the value.
    /// - Throws: `StorageFailure`.
    static func refuse(in fixture: LedgerFixture, _ table: String) throws {
        guard fixture.home == .sqlite else { return }
        try fixture.execute(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON \(table) WHEN substr(new.original_transaction_id, 1, 2) = '66'
            BEGIN SELECT RAISE(ABORT, 'no such identifier'); END
            """
        )
    }
}

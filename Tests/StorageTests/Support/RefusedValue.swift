import Offers
import Synchronization

/// A value that the database of a ledger refuses, though nothing of the service does.
enum RefusedValue {
    /// The identifier of a transaction with U+0000, which no text of PostgreSQL's holds.
    static let transaction = "66\u{0}6"

    /// Makes a home refuse the value.
    ///
    /// SQLite takes all texts: each connection that is opened from here on gets a rule of its own, which is not in the file.
    static func refuse(in fixture: LedgerFixture, _ table: String) {
        fixture.rule.withLock {
            $0 = """
                CREATE TEMP TRIGGER refusal BEFORE INSERT ON \(table)
                WHEN substr(new.original_transaction_id, 1, 2) = '66'
                BEGIN SELECT RAISE(ABORT, 'no such identifier'); END
                """
        }
    }
}

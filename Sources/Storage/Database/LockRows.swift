import Crypto
import Offers

/// The rows that transactions lock in PostgreSQL, by their numbers in `ledger_locks`: only one transaction of all services
/// that share the database has a row at a time.
///
/// They are rows of ours, as a role that may only connect can take any advisory lock. A name's row is one of many: two names
/// with one row only wait for each other.
enum LockRows {
    /// How many rows there are for names: of two commits with a hundred customers each, half of all pairs share none.
    private static let count: UInt64 = 65_536

    /// The row for signing the list of the ledger's chains.
    static let chains: Int64 = -1
    /// The row for deleting old records.
    static let deletion: Int64 = -2
    /// The row for writing redemptions.
    static let redemptions: Int64 = -3

    static func row(of name: [UInt8]) -> Int64 { Int64(hash(name) % count) }

    static func row(ofWriter writer: String) -> Int64 { row(of: Array("offer-signer ledger writer\n\(writer)".utf8)) }

    /// The key of the advisory lock that a chain's writer has while it is connected: it shows that the writer lives.
    static func life(of writer: String) -> Int64 {
        Int64(bitPattern: hash(Array("offer-signer ledger writer\n\(writer)".utf8)))
    }

    private static func hash(_ name: [UInt8]) -> UInt64 {
        SHA256.hash(data: name).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Locks rows, everybody in the same order, so that nobody waits in a circle; it answers with their number.
    static func lock(_ rows: Set<Int64>) -> SQLCall {
        SQLCall(
            "SELECT count(*) FROM (SELECT 1 FROM ledger_locks WHERE id = ANY ($1::int8[]) ORDER BY id FOR UPDATE) AS taken",
            .integers(rows.sorted())
        )
    }

    /// Locks those rows that nobody else has, without waiting, and answers with their numbers.
    static func lockAvailable(_ rows: Set<Int64>) -> SQLCall {
        SQLCall(
            "SELECT id FROM ledger_locks WHERE id = ANY ($1::int8[]) ORDER BY id FOR UPDATE SKIP LOCKED",
            .integers(rows.sorted())
        )
    }

    /// The statement that locks those rows that nobody else has, and answers with their number, and where these are not all,
    /// with the rows; none where there are no rows to lock.
    static func acquisition(of rows: Set<Int64>) -> [SQLCall] {
        guard !rows.isEmpty else { return [] }
        let acquire = """
            SELECT count(*), CASE WHEN count(*) < $2 THEN array_agg(id)::text END FROM (
                SELECT id FROM ledger_locks WHERE id = ANY ($1::int8[]) ORDER BY id FOR UPDATE SKIP LOCKED
            ) AS taken
            """
        return [SQLCall(acquire, .integers(rows.sorted()), .integer(Int64(rows.count)))]
    }

    /// Why nothing is written: somebody has deleted rows.
    static let missing = StorageFailure(
        .malformed,
        "rows of ledger_locks are missing, without which limits are not kept: as the owner of the tables, INSERT INTO "
            + "ledger_locks SELECT generate_series(-3, \(count - 1)) ON CONFLICT DO NOTHING"
    )

    /// A service of an earlier version, which takes other locks, signs nothing more from here on: its tables have changed.
    static let migration = Migration(
        "locks",
        [],
        others: [
            .postgreSQL: [
                "CREATE TABLE ledger_locks (id BIGINT NOT NULL PRIMARY KEY)",
                "INSERT INTO ledger_locks SELECT generate_series(-3, \(count - 1))",
                "ALTER TABLE notification_history ADD COLUMN holder TEXT",
                "ALTER TABLE notification_history ADD COLUMN held_until BIGINT",
            ]
        ]
    )
}

extension Session {
    /// The rows that other transactions have, by the answer to ``LockRows/acquisition(of:)``.
    func locked(of rows: Set<Int64>, _ answers: ArraySlice<Rows>) throws(StorageFailure) -> Set<Int64> {
        guard !rows.isEmpty, let answer = answers.first, try answer.integer(0, 0) < rows.count else { return [] }
        let count = try run("SELECT count(*) FROM ledger_locks WHERE id = ANY ($1::int8[])", .integers(rows.sorted()))
        guard try count.integer(0, 0) == rows.count else { throw LockRows.missing }
        let own = try answer.optionalText(0, 1) ?? ""
        return rows.subtracting(own.split { "{,}".contains($0) }.compactMap { Int64($0) })
    }
}

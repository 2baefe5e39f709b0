import Offers

/// How SQLite finds records by their nonces.
///
/// Nonces are random: in a ledger of ten million records an index of them makes each record half again as dear (19 µs of
/// 36, measured). So how each nonce of 512 records of a chain begins is kept in one row, written when these are there. To
/// find a nonce each of these rows is searched: some milliseconds for each million of records, and nobody waits for it but
/// a diagnosis. The records that no row covers yet are looked at themselves: the last of a chain.
///
/// PostgreSQL has an index: its own processes write its pages.
enum NonceSQL {
    /// After how many records a row is written.
    static let section: Int64 = 512

    /// How many characters of a nonce are kept: of that many the section of a record that is looked for is sure enough,
    /// and a full row has a page to itself.
    static let prefix = 7

    /// The rows; `number` is the one of a section's last record.
    static let sqliteTables = [
        """
        CREATE TABLE ledger_nonces (
            writer TEXT NOT NULL,
            number BIGINT NOT NULL,
            nonces TEXT NOT NULL,
            PRIMARY KEY (writer, number)
        )
        """
    ]

    /// Writes a row of the records that none covers yet, up to one of them.
    static let insert =
        "INSERT INTO ledger_nonces (writer, number, nonces) SELECT writer, MAX(number), group_concat(nonce, '') FROM "
        + "(SELECT writer, number, substr(nonce, 1, \(prefix)) AS nonce FROM ledger_records "
        + "WHERE writer = $1 AND number > \(covered) AND number <= $2) GROUP BY writer"

    /// The sections that may have a nonce: the numbers of the records before their first and of their last.
    static let sections =
        "SELECT writer, number - length(nonces) / \(prefix) AS before, number FROM ledger_nonces "
        + "WHERE instr(nonces, substr($1, 1, \(prefix))) > 0"

    /// The record of a nonce in a section.
    static let inSection =
        "SELECT \(LedgerSQL.recordColumns) FROM ledger_records WHERE writer = $1 AND number > $2 AND number <= $3 "
        + "AND nonce = $4 LIMIT 1"

    /// The record of a nonce among those of a chain that no row covers.
    static let inTail =
        "SELECT \(LedgerSQL.recordColumns) FROM ledger_records WHERE writer = $1 AND number > \(covered) "
        + "AND nonce = $2 LIMIT 1"

    static let delete = "DELETE FROM ledger_nonces WHERE writer = $1 AND number <= $2"

    private static let covered = "COALESCE((SELECT MAX(number) FROM ledger_nonces WHERE writer = $1), 0)"

    static func record(nonce: String, in session: any Session) throws(StorageFailure) -> LedgerRecord? {
        // No nonce is shorter; and nothing at all would seem to be in every section.
        guard nonce.utf8.count > prefix else { return nil }
        // Mostly it is of late.
        for chain in try session.chains().reversed() {
            let found = try session.run(inTail, .text(chain.writer), .text(nonce)).records()
            if let record = found.first { return record }
        }
        let rows = try session.run(sections, .text(nonce))
        for row in rows.rows {
            let found = try session.run(
                inSection,
                .text(try rows.text(row, 0)),
                .integer(try rows.integer(row, 1)),
                .integer(try rows.integer(row, 2)),
                .text(nonce)
            )
            if let record = try found.records().first { return record }
        }
        return nil
    }
}

/// How SQLite finds records by their nonces.
///
/// Nonces are random: an index of them would write a page of its own for each record, or, by short sections of a chain,
/// still every fifth page of a commit. So how each nonce of a section begins is kept in one row, written when the section
/// is full. To find a nonce each of these rows is searched: some milliseconds for each million of records, and nobody
/// waits for it but who asks for a diagnosis. The records that no row covers yet are looked at themselves: the last of a
/// chain, fewer than a section has.
enum NonceSQL {
    /// After how many records a row is written.
    static let section = 512

    /// How many characters of a nonce are kept: of that many the section of a record that is looked for is sure enough,
    /// and a full row has a page to itself.
    static let prefix = 7

    /// What PostgreSQL keeps an index of nonces for: its own processes write its pages.
    static let migration = Migration(
        "ledger 2",
        sqlite: [
            "DROP INDEX ledger_records_nonce",
            "CREATE INDEX ledger_records_section ON ledger_records (writer, number / 1024, substr(nonce, 1, 8))",
        ],
        postgreSQL: [],
        isForReaders: false
    )

    /// Rows of sections instead of that index: `number` is the one of a section's last record.
    static let sectionMigration = Migration(
        "ledger 4",
        sqlite: [
            "DROP INDEX ledger_records_section",
            """
            CREATE TABLE ledger_nonces (
                writer TEXT NOT NULL,
                number BIGINT NOT NULL,
                nonces TEXT NOT NULL,
                PRIMARY KEY (writer, number)
            )
            """,
            """
            INSERT INTO ledger_nonces (writer, number, nonces)
            SELECT writer, MAX(number), group_concat(substr(nonce, 1, 7), '') FROM ledger_records
            GROUP BY writer, (number - 1) / 512
            """,
        ],
        postgreSQL: [],
        isForReaders: false
    )

    static let insert = "INSERT INTO ledger_nonces (writer, number, nonces) VALUES ($1, $2, $3)"

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

    /// The record of a nonce where there are no rows of sections.
    static let anywhere = "SELECT \(LedgerSQL.recordColumns) FROM ledger_records WHERE nonce = $1 LIMIT 1"

    /// How the nonces begin that no row of a chain covers.
    static let uncovered =
        "SELECT substr(nonce, 1, \(prefix)) FROM ledger_records WHERE writer = $1 AND number > \(covered) "
        + "ORDER BY number"

    static let delete = "DELETE FROM ledger_nonces WHERE writer = $1 AND number <= $2"

    private static let covered = "COALESCE((SELECT MAX(number) FROM ledger_nonces WHERE writer = $1), 0)"
}

/// How SQLite finds records by their nonces.
///
/// Nonces are random: an index by them alone puts each record on a page of its own, which each commit writes to the log
/// and each checkpoint to the file. That was a third of what a record cost. So the index goes by the sections of a chain,
/// of which the last fits into a few pages. To find a nonce each section is looked at, by the index: some milliseconds
/// where there are millions of records, and nobody waits for it but who asks for a diagnosis.
enum NonceSQL {
    /// How many records a section has.
    static let section: Int64 = 1024

    /// The index of sections instead of the one of nonces.
    ///
    /// PostgreSQL keeps that: its own processes write its pages.
    static let migration = Migration(
        "ledger 2",
        sqlite: [
            "DROP INDEX ledger_records_nonce",
            "CREATE INDEX ledger_records_section ON ledger_records (writer, number / 1024, substr(nonce, 1, 8))",
        ],
        postgreSQL: []
    )

    /// The number of a nonce's record within a section of a chain.
    ///
    /// The plus keeps SQLite from putting the parameter into the index's expression, which it would not know again then.
    static let number =
        "SELECT number FROM ledger_records WHERE writer = $1 AND number / 1024 = $2 "
        + "AND substr(nonce, 1, 8) = substr($3, 1, 8) AND +nonce = $3 LIMIT 1"

    static let firstNumber = "SELECT number FROM ledger_records WHERE writer = $1 ORDER BY number LIMIT 1"

    static let lastNumber = "SELECT number FROM ledger_records WHERE writer = $1 ORDER BY number DESC LIMIT 1"
}

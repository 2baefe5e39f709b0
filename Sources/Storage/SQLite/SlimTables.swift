/// What SQLite keeps in fewer and smaller trees than PostgreSQL: each that a record comes into costs it a page in the log.
enum SlimTables {
    /// Customers are found without their products, which rarely tell more than the offers, and make the index twice as
    /// large; presentations are a tree of their own instead of a table with an index, with the column in front that
    /// tells most.
    static let migration = Migration(
        "ledger 3",
        sqlite: [
            "DROP INDEX ledger_records_customer",
            "CREATE INDEX ledger_records_customer ON ledger_records (customer, offer_id, time)",
            "DROP INDEX ledger_presentations_last_seen",
            "ALTER TABLE ledger_presentations RENAME TO ledger_presentations_before",
            """
            CREATE TABLE ledger_presentations (
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                original_transaction_id TEXT NOT NULL,
                customer BYTEA NOT NULL,
                last_seen BIGINT NOT NULL,
                PRIMARY KEY (original_transaction_id, bundle_id, environment, customer)
            ) WITHOUT ROWID
            """,
            """
            INSERT INTO ledger_presentations (bundle_id, environment, original_transaction_id, customer, last_seen)
            SELECT bundle_id, environment, original_transaction_id, customer, last_seen FROM ledger_presentations_before
            ORDER BY original_transaction_id, bundle_id, environment, customer
            """,
            "DROP TABLE ledger_presentations_before",
            "CREATE INDEX ledger_presentations_last_seen ON ledger_presentations (last_seen)",
        ],
        postgreSQL: [],
        isForReaders: false
    )

    /// Records of one moment are few: they can be put in order as they are read, and the index is a third as large.
    static let timeMigration = Migration(
        "ledger 5",
        sqlite: [
            "DROP INDEX ledger_records_time",
            "CREATE INDEX ledger_records_time ON ledger_records (time)",
        ],
        postgreSQL: [],
        isForReaders: false
    )
}

/// The ledger's SQL, plain for SQLite and PostgreSQL alike.
enum LedgerSQL {
    /// The ledger's tables.
    static let migration = Migration(
        "ledger 1",
        [
            """
            CREATE TABLE ledger_chains (
                writer TEXT NOT NULL PRIMARY KEY,
                started_at BIGINT NOT NULL,
                previous_writer TEXT,
                previous_number BIGINT,
                previous_hash BYTEA,
                seen_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE ledger_records (
                writer TEXT NOT NULL,
                number BIGINT NOT NULL,
                time BIGINT NOT NULL,
                client TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                product_id TEXT NOT NULL,
                offer_id TEXT NOT NULL,
                format TEXT NOT NULL,
                key_id TEXT NOT NULL,
                nonce TEXT NOT NULL,
                timestamp BIGINT NOT NULL,
                reason TEXT NOT NULL,
                evidence TEXT,
                environment TEXT,
                original_transaction_id TEXT,
                account BYTEA,
                customer BYTEA NOT NULL,
                hash BYTEA NOT NULL,
                PRIMARY KEY (writer, number)
            )
            """,
            "CREATE INDEX ledger_records_time ON ledger_records (time, writer, number)",
            "CREATE INDEX ledger_records_customer ON ledger_records (customer, product_id, offer_id, time)",
            "CREATE INDEX ledger_records_nonce ON ledger_records (nonce)",
            """
            CREATE TABLE ledger_checkpoints (
                writer TEXT NOT NULL,
                kind TEXT NOT NULL,
                number BIGINT NOT NULL,
                hash BYTEA NOT NULL,
                time BIGINT NOT NULL,
                signature BYTEA NOT NULL,
                PRIMARY KEY (writer, kind, number)
            )
            """,
            """
            CREATE TABLE ledger_presentations (
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                original_transaction_id TEXT NOT NULL,
                customer BYTEA NOT NULL,
                last_seen BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, environment, original_transaction_id, customer)
            )
            """,
            "CREATE INDEX ledger_presentations_last_seen ON ledger_presentations (last_seen)",
        ]
    )

    /// The columns of a record, in the order of ``LedgerRecord``.
    static let recordColumns =
        "writer, number, time, client, bundle_id, product_id, offer_id, format, key_id, nonce, timestamp, reason, "
        + "evidence, environment, original_transaction_id, account, customer, hash"

    static let insertChain =
        "INSERT INTO ledger_chains (writer, started_at, previous_writer, previous_number, previous_hash, seen_at) "
        + "VALUES ($1, $2, $3, $4, $5, $6)"

    static let chains =
        "SELECT writer, started_at, previous_writer, previous_number, previous_hash FROM ledger_chains "
        + "ORDER BY started_at, writer"

    static let newestChain =
        "SELECT writer, started_at, previous_writer, previous_number, previous_hash FROM ledger_chains "
        + "ORDER BY started_at DESC, writer DESC LIMIT 1"

    static let chain =
        "SELECT writer, started_at, previous_writer, previous_number, previous_hash FROM ledger_chains "
        + "WHERE writer = $1"

    static let seen = "UPDATE ledger_chains SET seen_at = $1 WHERE writer = $2"

    /// The last record of a chain.
    static let head = "SELECT number, hash FROM ledger_records WHERE writer = $1 ORDER BY number DESC LIMIT 1"

    /// The lowest number of a chain's records.
    static let firstNumber = "SELECT number FROM ledger_records WHERE writer = $1 ORDER BY number LIMIT 1"

    static let insertCheckpoint =
        "INSERT INTO ledger_checkpoints (writer, kind, number, hash, time, signature) VALUES ($1, $2, $3, $4, $5, $6)"

    /// The newest statement of a kind about a chain.
    static let newestCheckpoint =
        "SELECT number, hash, time, signature FROM ledger_checkpoints WHERE writer = $1 AND kind = $2 "
        + "ORDER BY number DESC LIMIT 1"

    /// The statements of a kind about a chain, from a record on.
    static let checkpoints =
        "SELECT number, hash, time, signature FROM ledger_checkpoints WHERE writer = $1 AND kind = $2 AND number > $3 "
        + "ORDER BY number LIMIT $4"

    /// The records of a chain, from one on.
    static let records =
        "SELECT \(recordColumns) FROM ledger_records WHERE writer = $1 AND number > $2 ORDER BY number LIMIT $3"

    /// The records of all chains in the order of their times, from one on.
    static let recordsByTime =
        "SELECT \(recordColumns) FROM ledger_records WHERE (time, writer, number) > ($1, $2, $3) "
        + "ORDER BY time, writer, number LIMIT $4"

    /// The records of a nonce in PostgreSQL, see ``NonceSQL`` for SQLite: one, unless somebody tampered.
    static let recordsOfNonce = "SELECT \(recordColumns) FROM ledger_records WHERE nonce = $1 LIMIT 1"

    static let signatureCount =
        "SELECT COUNT(*) FROM ledger_records WHERE customer = $1 AND product_id = $2 AND offer_id = $3 AND time > $4"

    /// For how many other customers a subscription was presented, and when last for this one.
    ///
    /// SQLite counts parameters as they come.
    static let presentations =
        "SELECT COUNT(CASE WHEN customer <> $1 THEN 1 END), MAX(CASE WHEN customer = $1 THEN last_seen END) "
        + "FROM ledger_presentations WHERE bundle_id = $2 AND environment = $3 AND original_transaction_id = $4 "
        + "AND last_seen > $5"

    static let insertPresentation =
        "INSERT INTO ledger_presentations (bundle_id, environment, original_transaction_id, customer, last_seen) "
        + "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bundle_id, environment, original_transaction_id, customer) "
        + "DO UPDATE SET last_seen = excluded.last_seen"

    /// How many rows one step of a deletion deletes at the most: signing waits for one step, and no longer.
    static let deletionStep = 500

    /// Deletes some of the oldest presentations.
    static let deletePresentations =
        "DELETE FROM ledger_presentations WHERE (bundle_id, environment, original_transaction_id, customer) IN "
        + "(SELECT bundle_id, environment, original_transaction_id, customer FROM ledger_presentations "
        + "WHERE last_seen < $1 ORDER BY last_seen LIMIT \(deletionStep))"

    /// What was presented for a customer: no index leads to it, as it is asked when a customer is forgotten, and never else.
    static let presentationsOf =
        "SELECT bundle_id, environment, original_transaction_id FROM ledger_presentations WHERE customer = $1"

    static let deletePresentation =
        "DELETE FROM ledger_presentations WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3 "
        + "AND customer = $4"

    /// The chain of the oldest record, where that is old enough.
    static let oldestChain = "SELECT writer FROM ledger_records WHERE time < $1 ORDER BY time, writer, number LIMIT 1"

    /// The time of the newest record before a moment.
    static let newestTime = "SELECT MAX(time) FROM ledger_records WHERE time < $1"

    /// The records that one step of a deletion looks at.
    static let oldestRecords =
        "SELECT number, hash, time FROM ledger_records WHERE writer = $1 ORDER BY number LIMIT \(deletionStep)"

    static let deleteRecords = "DELETE FROM ledger_records WHERE writer = $1 AND number <= $2"

    static let deleteCheckpoints = "DELETE FROM ledger_checkpoints WHERE writer = $1 AND number < $2"
}

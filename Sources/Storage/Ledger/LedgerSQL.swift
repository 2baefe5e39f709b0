/// The ledger's SQL, plain for SQLite and PostgreSQL alike.
enum LedgerSQL {
    static let recordColumns =
        "writer, number, time, client, bundle_id, product_id, offer_id, format, key_id, nonce, timestamp, reason, "
        + "evidence, environment, original_transaction_id, account, customer, hash"

    private static let chainColumns =
        "writer, started_at, previous_writer, previous_number, previous_hash, signature"

    static let insertChain = "INSERT INTO ledger_chains (\(chainColumns)) VALUES ($1, $2, $3, $4, $5, $6)"

    static let chains = "SELECT \(chainColumns) FROM ledger_chains ORDER BY started_at, writer"

    static let chain = "SELECT \(chainColumns) FROM ledger_chains WHERE writer = $1"

    static let head = "SELECT number, hash FROM ledger_records WHERE writer = $1 ORDER BY number DESC LIMIT 1"

    /// The same, with how often the chain is said to have ended, and how many losses no operator knows of.
    static let end =
        "SELECT number, hash, (SELECT COUNT(*) FROM ledger_statements WHERE writer = $1 AND kind = 'end') AS ends, "
        + "(SELECT COUNT(*) FROM ledger_losses WHERE acknowledged_at IS NULL) AS losses "
        + "FROM ledger_records WHERE writer = $1 ORDER BY number DESC LIMIT 1"

    static let firstNumber = "SELECT number FROM ledger_records WHERE writer = $1 ORDER BY number LIMIT 1"

    static let hash = "SELECT hash FROM ledger_records WHERE writer = $1 AND number = $2"

    /// States something of a chain, in the place of what was stated before.
    static let putStatement =
        "INSERT INTO ledger_statements (writer, number, hash, time, kind, signature) VALUES ($1, $2, $3, $4, $5, $6) "
        + "ON CONFLICT (writer, kind) DO UPDATE SET number = excluded.number, hash = excluded.hash, time = excluded.time, "
        + "signature = excluded.signature"

    private static let statementColumns = "writer, kind, number, hash, time, signature"

    static let statements = "SELECT \(statementColumns) FROM ledger_statements ORDER BY writer, kind"

    static let statementsOf = "SELECT \(statementColumns) FROM ledger_statements WHERE writer = $1"

    static let isEnded = "SELECT 1 FROM ledger_statements WHERE writer = $1 AND kind = 'end'"

    /// The newest checkpoint, which is the only one.
    static let checkpoints = "SELECT chains, newest, open, time, signature, id FROM ledger_checkpoints"

    static let putCheckpoint =
        "INSERT INTO ledger_checkpoints (id, chains, newest, open, time, signature) VALUES (1, $1, $2, $3, $4, $5) "
        + "ON CONFLICT (id) DO UPDATE SET chains = excluded.chains, newest = excluded.newest, open = excluded.open, "
        + "time = excluded.time, signature = excluded.signature"

    static let records =
        "SELECT \(recordColumns) FROM ledger_records WHERE writer = $1 AND number > $2 ORDER BY number LIMIT $3"

    /// The records of all chains in the order of their times, from one on.
    static let recordsByTime =
        "SELECT \(recordColumns) FROM ledger_records WHERE (time, writer, number) > ($1, $2, $3) "
        + "ORDER BY time, writer, number LIMIT $4"

    /// The record of a nonce in PostgreSQL, see ``NonceSQL`` for SQLite: one, unless somebody tampered.
    static let recordsOfNonce = "SELECT \(recordColumns) FROM ledger_records WHERE nonce = $1 LIMIT 1"

    static let insertRecord =
        "INSERT INTO ledger_records (\(recordColumns)) "
        + "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"

    /// How many signatures of an offer a customer got since a moment.
    static let signatureCount =
        "SELECT COUNT(*) FROM ledger_records WHERE customer = $1 AND product_id = $2 AND offer_id = $3 AND time > $4"

    /// The customers that a subscription was presented for, and when last.
    static let presentations =
        "SELECT customer, last_seen FROM ledger_presentations WHERE bundle_id = $1 AND environment = $2 "
        + "AND original_transaction_id = $3 AND last_seen > $4"

    static let insertPresentation =
        "INSERT INTO ledger_presentations (bundle_id, environment, original_transaction_id, customer, last_seen) "
        + "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bundle_id, environment, original_transaction_id, customer) "
        + "DO UPDATE SET last_seen = excluded.last_seen"

    static let storedAnswer =
        "SELECT answered_at, customer, body FROM kept_answers WHERE request_id = $1 AND bundle_id = $2 "
        + "AND environment = $3 AND original_transaction_id = $4 AND answered_at > $5"

    static let keepAnswer =
        "INSERT INTO kept_answers (request_id, bundle_id, environment, original_transaction_id, answered_at, customer, "
        + "body) VALUES ($1, $2, $3, $4, $5, $6, $7) "
        + "ON CONFLICT (request_id, bundle_id, environment, original_transaction_id) "
        + "DO UPDATE SET answered_at = excluded.answered_at, customer = excluded.customer, body = excluded.body"

    /// The answers that a customer got, without an index: only forgetting a customer asks.
    static let answersOf =
        "SELECT request_id, bundle_id, environment, original_transaction_id FROM kept_answers WHERE customer = $1"

    static let deleteAnswer =
        "DELETE FROM kept_answers WHERE request_id = $1 AND bundle_id = $2 AND environment = $3 "
        + "AND original_transaction_id = $4"

    /// Deletes some of the oldest answers.
    static let deleteAnswers =
        "DELETE FROM kept_answers WHERE (request_id, bundle_id, environment, original_transaction_id) IN "
        + "(SELECT request_id, bundle_id, environment, original_transaction_id FROM kept_answers "
        + "WHERE answered_at < $1 ORDER BY answered_at LIMIT \(deletionStep))"

    /// How many rows one step of a deletion deletes at the most: signing waits for one step, and no longer.
    static let deletionStep = 500

    /// Deletes some of the oldest presentations in SQLite, see ``PostgreSQLBatch`` for PostgreSQL.
    static let deletePresentations =
        "DELETE FROM ledger_presentations WHERE (bundle_id, environment, original_transaction_id, customer) IN "
        + "(SELECT bundle_id, environment, original_transaction_id, customer FROM ledger_presentations "
        + "WHERE last_seen < $1 ORDER BY last_seen LIMIT \(deletionStep))"

    /// The subscriptions presented for a customer, without an index: only forgetting a customer asks.
    static let presentationsOf =
        "SELECT bundle_id, environment, original_transaction_id FROM ledger_presentations WHERE customer = $1"

    static let deletePresentation =
        "DELETE FROM ledger_presentations WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3 "
        + "AND customer = $4"

    /// The chain of the oldest record, where that is old enough.
    static let oldestChain = "SELECT writer FROM ledger_records WHERE time < $1 ORDER BY time, writer, number LIMIT 1"

    /// The time of the newest record before a moment.
    static let newestTime = "SELECT MAX(time) FROM ledger_records WHERE time < $1"

    static let deleteRecords = "DELETE FROM ledger_records WHERE writer = $1 AND number <= $2"
}

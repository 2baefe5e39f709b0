import Offers

/// The SQL of held state: plain for SQLite and PostgreSQL alike, and beside it what PostgreSQL does for many rows at once.
enum StateSQL {
    static let subscription =
        "SELECT body FROM held_subscriptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    /// How many rows of an account are read: its subscriptions, one more where there are others, and its marks.
    static let mostRows = Book.mostOfAccount + 1 + AppStoreEnvironment.allCases.count

    /// The last subscriptions of an account by their identifiers, with what is held of them, and its marks, whose
    /// identifiers are empty.
    static let ofAccount =
        "SELECT environment, original_transaction_id, all_as_of, body FROM held_accounts "
        + "LEFT JOIN held_subscriptions USING (bundle_id, environment, original_transaction_id) "
        + "WHERE account = $1 AND bundle_id = $2 "
        + "ORDER BY original_transaction_id DESC, environment DESC LIMIT \(mostRows)"

    /// The same for many accounts, and many subscriptions, in PostgreSQL: one question, so that all is of one moment.
    static let many = """
        WITH own AS (
            SELECT found.* FROM unnest($1::bytea[], $2::text[]) AS asked (account, bundle_id)
            CROSS JOIN LATERAL (
                SELECT account, bundle_id, environment, original_transaction_id, all_as_of FROM held_accounts
                WHERE account = asked.account AND bundle_id = asked.bundle_id
                ORDER BY original_transaction_id COLLATE "C" DESC, environment COLLATE "C" DESC LIMIT \(mostRows)
            ) AS found
        ), named AS (
            SELECT bundle_id, environment, original_transaction_id FROM own WHERE all_as_of IS NULL
            UNION
            SELECT * FROM unnest($3::text[], $4::text[], $5::text[])
        )
        SELECT account, bundle_id, environment, original_transaction_id, all_as_of, NULL::bytea AS body FROM own
        UNION ALL
        SELECT NULL, bundle_id, environment, original_transaction_id, NULL, body
        FROM held_subscriptions JOIN named USING (bundle_id, environment, original_transaction_id)
        """

    /// Everything that belongs to an account, in whatever app.
    static let ofAccountEverywhere =
        "SELECT bundle_id, environment, original_transaction_id FROM held_accounts WHERE account = $1 "
        + "AND original_transaction_id <> ''"

    static let deleteAccount = "DELETE FROM held_accounts WHERE account = $1"

    static let deleteSubscription =
        "DELETE FROM held_subscriptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    static let putNotification =
        "INSERT INTO notifications (id, type, subtype, bundle_id, environment, signed_at, received_at) "
        + "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING"

    static let deleteNotifications = "DELETE FROM notifications WHERE received_at < $1"

    static let generation = "SELECT generation FROM state_generation WHERE id = 1"

    static let nextGeneration = "UPDATE state_generation SET generation = generation + 1 WHERE id = 1"

    /// The number of subscriptions in PostgreSQL: of a large table the server's estimate.
    static let subscriptionEstimate =
        "SELECT CASE WHEN reltuples < 1000000 THEN (SELECT COUNT(*) FROM held_subscriptions) ELSE reltuples::bigint END "
        + "FROM pg_class WHERE oid = 'held_subscriptions'::regclass"

    /// The subscription so many after another.
    static func subscription(atStep length: Int) -> String {
        "SELECT original_transaction_id, bundle_id, environment FROM held_subscriptions WHERE \(isAfter) "
            + "ORDER BY original_transaction_id, bundle_id, environment LIMIT 1 OFFSET \(length - 1)"
    }

    static let subscriptionsAfter = "SELECT COUNT(*) FROM held_subscriptions WHERE \(isAfter)"

    private static let isAfter = "(original_transaction_id, bundle_id, environment) > ($1, $2, $3)"
}

/// A statement that writes rows: SQLite takes them one after the other, PostgreSQL all at once.
enum StateWrite {
    /// Puts what is held of subscriptions in the place of what is there.
    case subscriptions
    /// Ties subscriptions to accounts; what is tied stays.
    case ties
    case untied
    /// Notes since when all subscriptions of accounts are known; the newest counts.
    case marks
    /// Notes customers of offers with a holdout; those who are noted stay.
    case holdouts

    /// The statement for one row, or for one array of each column.
    func sql(in dialect: SQLDialect) -> String {
        let isMany = dialect == .postgreSQL
        func values(_ types: String...) -> String {
            isMany
                ? "SELECT * FROM unnest(\(types.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")))"
                : "VALUES (\(types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))"
        }
        switch self {
        case .subscriptions:
            return "INSERT INTO held_subscriptions (bundle_id, environment, original_transaction_id, body) "
                + values("text", "text", "text", "bytea")
                + " ON CONFLICT (bundle_id, environment, original_transaction_id) "
                + "DO UPDATE SET body = excluded.body"
        case .ties:
            return "INSERT INTO held_accounts (account, bundle_id, environment, original_transaction_id) "
                + values("bytea", "text", "text", "text") + " ON CONFLICT \(Self.key) DO NOTHING"
        case .untied:
            return "DELETE FROM held_accounts WHERE (account, bundle_id, environment, original_transaction_id) IN "
                + "(\(values("bytea", "text", "text", "text")))"
        case .marks:
            return "INSERT INTO held_accounts (account, bundle_id, environment, original_transaction_id, all_as_of) "
                + values("bytea", "text", "text", "text", "int8")
                + " ON CONFLICT \(Self.key) DO UPDATE SET all_as_of = excluded.all_as_of "
                + "WHERE excluded.all_as_of > held_accounts.all_as_of"
        case .holdouts:
            return "INSERT INTO holdout_customers (customer, name, bundle_id, environment, original_transaction_id, "
                + "is_held_out, first_at) " + values("bytea", "text", "text", "text", "text", "int8", "int8")
                + " ON CONFLICT (customer, name) DO NOTHING"
        }
    }

    private static let key = "(account, bundle_id, original_transaction_id, environment)"
}

extension Session {
    /// Writes rows, no two with the same key.
    func send(_ write: StateWrite, _ rows: [[SQLValue]]) throws(StorageFailure) {
        guard let first = rows.first else { return }
        let sql = write.sql(in: dialect)
        guard dialect == .postgreSQL else {
            for row in rows { try send(SQLCall(sql, row)) }
            return
        }
        try send(SQLCall(sql, first.indices.map { column in SQLValue(array: rows.map { $0[column] }) }))
    }
}

extension SQLValue {
    /// An array of values of one type, for PostgreSQL.
    fileprivate init(array values: [SQLValue]) {
        switch values.first {
        case .bytes: self = .byteStrings(values.map { if case .bytes(let bytes) = $0 { bytes } else { nil } })
        case .integer: self = .integers(values.map { if case .integer(let number) = $0 { number } else { nil } })
        default: self = .texts(values.map { if case .text(let text) = $0 { text } else { nil } })
        }
    }
}

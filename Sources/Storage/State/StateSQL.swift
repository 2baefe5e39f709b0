import Offers

/// The SQL of held state, plain for SQLite and PostgreSQL alike.
enum StateSQL {
    static let subscription =
        "SELECT body FROM held_subscriptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    /// The subscriptions of an account that are told, the last learnt first, and one more where there are others.
    static let ofAccount =
        "SELECT a.environment, a.original_transaction_id FROM held_accounts a JOIN held_subscriptions s "
        + "ON s.bundle_id = a.bundle_id AND s.environment = a.environment "
        + "AND s.original_transaction_id = a.original_transaction_id WHERE a.account = $1 AND a.bundle_id = $2 "
        + "ORDER BY s.learnt_at DESC, a.original_transaction_id DESC, a.environment DESC "
        + "LIMIT \(HeldState.mostOfAccount + 1)"

    /// Everything that belongs to an account, in whatever app.
    static let ofAccountEverywhere =
        "SELECT bundle_id, environment, original_transaction_id FROM held_accounts WHERE account = $1"

    static let accountsOf =
        "SELECT account FROM held_accounts WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    static let putSubscription =
        "INSERT INTO held_subscriptions (bundle_id, environment, original_transaction_id, body, learnt_at) "
        + "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bundle_id, environment, original_transaction_id) "
        + "DO UPDATE SET body = excluded.body, learnt_at = excluded.learnt_at"

    static let deleteSubscription =
        "DELETE FROM held_subscriptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    static let putAccount =
        "INSERT INTO held_accounts (account, bundle_id, environment, original_transaction_id) VALUES ($1, $2, $3, $4) "
        + "ON CONFLICT (account, bundle_id, environment, original_transaction_id) DO NOTHING"

    static let deleteAccount =
        "DELETE FROM held_accounts WHERE account = $1 AND bundle_id = $2 AND environment = $3 "
        + "AND original_transaction_id = $4"

    static let marks = "SELECT environment, as_of, source FROM held_marks WHERE account = $1 AND bundle_id = $2"

    static let putMark =
        "INSERT INTO held_marks (account, bundle_id, environment, as_of, source) VALUES ($1, $2, $3, $4, $5) "
        + "ON CONFLICT (account, bundle_id, environment) DO UPDATE SET as_of = excluded.as_of, source = excluded.source"

    static let deleteMark = "DELETE FROM held_marks WHERE account = $1 AND bundle_id = $2 AND environment = $3"

    static let deleteMarks = "DELETE FROM held_marks WHERE account = $1"

    static let putNotification =
        "INSERT INTO notifications (id, type, subtype, bundle_id, environment, signed_at, received_at) "
        + "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING"

    static let deleteNotifications = "DELETE FROM notifications WHERE received_at < $1"

    static let generation = "SELECT generation FROM state_generation WHERE id = 1"

    static let nextGeneration = "UPDATE state_generation SET generation = generation + 1 WHERE id = 1"

    static let subscriptionCount = "SELECT COUNT(*) FROM held_subscriptions"
}

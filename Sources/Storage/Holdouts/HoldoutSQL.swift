/// The SQL of customers who could have had an offer with a holdout, plain for SQLite and PostgreSQL alike.
enum HoldoutSQL {
    /// A row for each customer and name: when the customer first could have had the offer, or would have but for the draw.
    ///
    /// The customer is a digest that says which app it is of. It is no part of the ledger's chain.
    static let migration = Migration(
        "holdouts",
        [],
        others: [.sqlite: [table + " WITHOUT ROWID", index], .postgreSQL: [table, index]]
    )

    private static let index = "CREATE INDEX holdout_customers_time ON holdout_customers (first_at)"

    private static let table = """
        CREATE TABLE holdout_customers (
            customer BYTEA NOT NULL,
            name TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            environment TEXT NOT NULL,
            original_transaction_id TEXT NOT NULL,
            is_held_out BIGINT NOT NULL,
            first_at BIGINT NOT NULL,
            PRIMARY KEY (customer, name)
        )
        """

    /// The next customers after one, each with a row for each subscription: the one that decided, and those of the account.
    static let page = """
        WITH page AS (
            SELECT customer, name, bundle_id, environment, original_transaction_id, is_held_out, first_at
            FROM holdout_customers WHERE environment = $1 AND (customer, name) > ($2, $3)
            ORDER BY customer, name LIMIT \(step)
        ), bought AS (
            SELECT customer, name, original_transaction_id AS id FROM page
            UNION
            SELECT customer, name, held_accounts.original_transaction_id FROM page
            JOIN held_accounts ON account = customer AND held_accounts.bundle_id = page.bundle_id
                AND held_accounts.environment = page.environment
        )
        SELECT page.customer, page.name, page.bundle_id, is_held_out, first_at, held.original_transaction_id, held.body,
            CAST(CASE WHEN EXISTS (
                SELECT 1 FROM redemptions WHERE redemptions.bundle_id = page.bundle_id
                    AND redemptions.environment = page.environment AND redemptions.original_transaction_id = bought.id
                    AND redemptions.redeemed_at > first_at AND \(FunnelSQL.isGivenByApple)
            ) THEN 1 ELSE 0 END AS BIGINT) AS is_given
        FROM page JOIN bought ON bought.customer = page.customer AND bought.name = page.name
        LEFT JOIN held_subscriptions AS held ON held.original_transaction_id = bought.id
            AND held.bundle_id = page.bundle_id AND held.environment = page.environment
        ORDER BY page.customer, page.name
        """

    static let forget = "DELETE FROM holdout_customers WHERE customer = $1"

    /// The rows about a subscription, without an index: only forgetting a customer asks.
    static let ofSubscription =
        "SELECT customer, name FROM holdout_customers "
        + "WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    static let forgetName = "DELETE FROM holdout_customers WHERE customer = $1 AND name = $2"

    /// Deletes some of the oldest: a short step.
    static let deleteOld =
        "DELETE FROM holdout_customers WHERE (customer, name) IN "
        + "(SELECT customer, name FROM holdout_customers WHERE first_at < $1 ORDER BY first_at LIMIT \(step))"

    /// The rows that a transaction writes or deletes at most.
    static let step = 1_000
}

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

    static let forget = "DELETE FROM holdout_customers WHERE customer = $1"

    static let subscriptionsOf =
        "SELECT original_transaction_id FROM held_accounts WHERE account = $1 AND bundle_id = $2 "
        + "AND original_transaction_id <> ''"

    /// Deletes some of the oldest: a short step.
    static let deleteOld =
        "DELETE FROM holdout_customers WHERE (customer, name) IN "
        + "(SELECT customer, name FROM holdout_customers WHERE first_at < $1 ORDER BY first_at LIMIT \(step))"

    /// How many rows a transaction writes or deletes.
    static let step = 1_000
}

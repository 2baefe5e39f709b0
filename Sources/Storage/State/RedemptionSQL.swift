/// The SQL of redemptions, plain for SQLite and PostgreSQL alike.
enum RedemptionSQL {
    /// Keeps Apple's number of a purchase, by which copies of one redemption are known.
    static let migration = Migration(
        "purchases",
        [
            "ALTER TABLE redemptions ADD COLUMN web_order_line_item_id TEXT",
            "CREATE INDEX redemptions_purchase ON redemptions "
                + "(web_order_line_item_id, bundle_id, environment, original_transaction_id)",
        ]
    )

    /// Keeps whether Apple gave the offer on the page where a subscription is cancelled.
    static let retentionMigration = Migration(
        "retention offers",
        ["ALTER TABLE redemptions ADD COLUMN is_retention BIGINT"]
    )

    static let put =
        "INSERT INTO redemptions (bundle_id, environment, original_transaction_id, transaction_id, product_id, offer_id, "
        + "redeemed_at, price, currency, storefront, signed_writer, signed_number, web_order_line_item_id, "
        + "begins, source, position, stored_at, is_retention) "
        + "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) "
        + "ON CONFLICT (bundle_id, environment, original_transaction_id, transaction_id) DO NOTHING"

    /// The redemption by a copy of the same purchase under a lower identifier, which counts for both.
    static let copy =
        "SELECT 1 FROM redemptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id < $3 "
        + "AND web_order_line_item_id = $4 LIMIT 1"

    static let ofOffer =
        "SELECT 1 FROM redemptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3 "
        + "AND offer_id = $4 LIMIT 1"

    /// Deletes redemptions by copies of the same purchase under higher identifiers.
    static let deleteCopies =
        "DELETE FROM redemptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id > $3 "
        + "AND web_order_line_item_id = $4 RETURNING position, stored_at"

    static let delete =
        "DELETE FROM redemptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3 "
        + "RETURNING transaction_id, offer_id, web_order_line_item_id, position, stored_at"

    /// Deletes some of the oldest: a short step.
    static let deleteOld =
        "DELETE FROM redemptions WHERE (bundle_id, environment, original_transaction_id, transaction_id) IN "
        + "(SELECT bundle_id, environment, original_transaction_id, transaction_id FROM redemptions "
        + "WHERE redeemed_at < $1 ORDER BY redeemed_at LIMIT 500)"

    /// The same of those of which nobody knows when they were redeemed.
    static let deleteUndated =
        "DELETE FROM redemptions WHERE (bundle_id, environment, original_transaction_id, transaction_id) IN "
        + "(SELECT bundle_id, environment, original_transaction_id, transaction_id FROM redemptions "
        + "WHERE redeemed_at IS NULL AND stored_at < $1 LIMIT 500)"

    /// The signature that is looked for, in a span of time.
    enum Signature {
        case newest
        case oldest
    }

    /// The last customers who presented evidence of a subscription.
    static let presentedFor =
        "SELECT customer FROM ledger_presentations WHERE bundle_id = $1 AND environment = $2 "
        + "AND original_transaction_id = $3 ORDER BY last_seen DESC, customer LIMIT 16"

    static let anySignature = "SELECT 1 FROM ledger_records WHERE customer = $1 LIMIT 1"

    /// A signature of an offer for a customer, within a span of time, that made no other redemption possible.
    ///
    /// By the ledger's index of customers: one of its own for this would cost every signature.
    static func signature(_ which: Signature, ofSubscription: Bool) -> String {
        let order = which == .newest ? "DESC" : "ASC"
        return "SELECT writer, number, time FROM ledger_records WHERE customer = $1 AND product_id = $2 "
            + "AND offer_id = $3 AND time > $4 AND time <= $5 AND bundle_id = $6 "
            + "AND (environment IS NULL OR environment = $7) "
            + (ofSubscription ? "AND original_transaction_id = $8 " : "")
            + "AND NOT EXISTS (SELECT 1 FROM redemptions "
            + "WHERE signed_writer = ledger_records.writer AND signed_number = ledger_records.number) "
            + "ORDER BY time \(order), writer \(order), number \(order) LIMIT 1"
    }

    /// The redemption that a signature made possible.
    static let bySignature = "SELECT redeemed_at FROM redemptions WHERE signed_writer = $1 AND signed_number = $2"

    /// How often a subscription redeemed an offer by signatures that are not in the ledger.
    static let countUnsigned =
        "SELECT COUNT(*) FROM redemptions WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3 "
        + "AND product_id = $4 AND offer_id = $5 AND redeemed_at > $6 AND signed_writer IS NULL"
}

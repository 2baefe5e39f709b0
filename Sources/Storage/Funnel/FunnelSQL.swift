/// The SQL of counted decisions and of funnels, plain for SQLite and PostgreSQL alike.
enum FunnelSQL {
    private static let columns = "day, bundle_id, product_id, offer_id, environment, call, reason, total"

    static let add =
        "INSERT INTO offer_counts (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
        + "ON CONFLICT (day, bundle_id, product_id, offer_id, environment, call, reason) "
        + "DO UPDATE SET total = offer_counts.total + excluded.total"

    /// Decisions of days; what names no environment counts for the one that is asked for second.
    static let decisions =
        "SELECT bundle_id, product_id, offer_id, call, reason, CAST(SUM(total) AS BIGINT) AS total FROM offer_counts "
        + "WHERE day >= $1 AND day < $2 AND (environment = $3 OR environment = $4) "
        + "GROUP BY bundle_id, product_id, offer_id, call, reason"

    /// Signatures of promotional offers; introductory ones have no offer.
    static let signatures =
        "SELECT bundle_id, product_id, offer_id, COUNT(*) AS total FROM ledger_records WHERE time >= $1 AND time < $2 "
        + "AND (COALESCE(environment, '') = $3 OR COALESCE(environment, '') = $4) AND offer_id <> '' "
        + "GROUP BY bundle_id, product_id, offer_id"

    static let redemptions =
        "SELECT bundle_id, product_id, offer_id, price, currency, storefront, "
        + "CAST(CASE WHEN signed_writer IS NULL THEN 0 ELSE 1 END AS BIGINT) AS is_signed, COUNT(*) AS total "
        + "FROM redemptions WHERE redeemed_at >= $1 AND redeemed_at < $2 AND environment = $3 "
        + "GROUP BY bundle_id, product_id, offer_id, price, currency, storefront, is_signed"
}

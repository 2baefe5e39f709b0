/// The SQL of ``RecentFigures``, plain for SQLite and PostgreSQL alike but for the size.
enum OverviewSQL {
    static let decisions =
        "SELECT day, bundle_id, product_id, offer_id, environment, call, reason, total FROM offer_counts "
        + "WHERE day >= $1 ORDER BY day DESC LIMIT $2"

    static let redemptions =
        "SELECT redeemed_at / 86400000 AS day, bundle_id, product_id, offer_id, environment, COUNT(*) AS total "
        + "FROM (SELECT redeemed_at, bundle_id, product_id, offer_id, environment FROM redemptions "
        + "WHERE redeemed_at >= $1 ORDER BY redeemed_at DESC LIMIT $2) AS newest "
        + "GROUP BY day, bundle_id, product_id, offer_id, environment"

    static let chains =
        "SELECT writer, started_at, "
        + "(SELECT MIN(number) FROM ledger_records WHERE ledger_records.writer = newest.writer) AS first_number, "
        + "(SELECT MAX(number) FROM ledger_records WHERE ledger_records.writer = newest.writer) AS last_number, "
        + "(SELECT COUNT(*) FROM ledger_statements WHERE ledger_statements.writer = newest.writer AND kind = 'end') "
        + "AS ends, "
        + "(SELECT COUNT(*) FROM configurations JOIN ledger_records ON ledger_records.writer = configurations.writer "
        + "AND ledger_records.number = configurations.number WHERE configurations.writer = newest.writer) AS configurations "
        + "FROM (SELECT writer, started_at FROM ledger_chains ORDER BY started_at DESC, writer DESC LIMIT $1) AS newest "
        + "ORDER BY started_at DESC, writer DESC"

    static let chainCount = "SELECT COUNT(*) AS chains FROM ledger_chains"

    static let checkpoint = "SELECT time FROM ledger_checkpoints"

    static let verification = "SELECT time, chains, records, faults FROM ledger_verifications"

    static let putVerification =
        "INSERT INTO ledger_verifications (id, time, chains, records, faults) VALUES (1, $1, $2, $3, $4) "
        + "ON CONFLICT (id) DO UPDATE SET time = excluded.time, chains = excluded.chains, records = excluded.records, "
        + "faults = excluded.faults"

    /// The size in bytes; in PostgreSQL that of the tables beside ours, too, and of nothing in other schemas.
    static func size(in dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: DatabaseFigures.fileSizeSQL
        case .postgreSQL:
            "SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) AS bytes FROM pg_class "
                + "WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()::text)"
        }
    }
}

/// Brings the tables of a PostgreSQL database up to this version's, forward only.
///
/// Replicas that start together wait for one another: one of them does it, under an advisory lock, in one transaction.
/// Tables that a newer version has changed are refused, and nothing is touched then.
enum PostgreSQLMigrator {
    /// The lock's key: "OfferSgn" in ASCII, so that another program on the server hardly uses the same.
    private static let lockKey: Int64 = 0x4F66_6665_7253_676E

    /// How long one statement of a step may take: it may have to build an index over a large table.
    private static let patience = Duration.seconds(3600)

    /// Does the steps that the database does not have yet.
    ///
    /// - Parameters:
    ///   - connection: A connection whose user may make tables, unless all are there.
    ///   - place: The database, for errors.
    /// - Throws: ``PostgreSQLError``, with the code `schema` when the database has steps that this version does not know.
    static func migrate(_ connection: PostgreSQLConnection, at place: String) throws(PostgreSQLError) {
        // The usual case, without a lock or a transaction: all is there.
        if let made = try made(on: connection), try due(after: made, at: place).isEmpty { return }
        let start = [lock(.integer(lockKey)), takeTime(), stay(), PostgreSQLStatement(sql: Migration.table)()]
        try connection.transaction(start) { _ throws(PostgreSQLError) in
            // Another replica may have been first.
            for migration in try due(after: try made(on: connection) ?? [], at: place) {
                // Each statement is sent when those before it have run, as it may name their tables.
                for sql in migration.postgreSQLStatements {
                    let statement = PostgreSQLStatement(sql: sql)
                    try connection.run([statement()], until: .now + patience)
                }
                try connection.run(note(.text(migration.name)))
            }
            return ((), [])
        }
    }

    /// Whether the database has the tables of this version; nothing is made.
    ///
    /// - Parameters:
    ///   - connection: A connection.
    ///   - place: The database, for errors.
    /// - Throws: ``PostgreSQLError``: when steps are missing, one after which it may be tried again.
    static func check(_ connection: PostgreSQLConnection, at place: String) throws(PostgreSQLError) {
        let made = try made(on: connection) ?? []
        guard try due(after: made, at: place).contains(where: \.isForReaders) else { return }
        throw PostgreSQLError(
            .notMigrated,
            hasLedger(made)
                ? "they are not up to date; start the service once to bring them up"
                : "there is no ledger; start the service once to make it, or name the one that it writes"
        )
    }

    /// Refuses a database without a ledger; nothing is made.
    ///
    /// - Parameter connection: A connection.
    /// - Throws: ``PostgreSQLError``.
    static func checkHasLedger(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        guard hasLedger(try made(on: connection) ?? []) else {
            throw PostgreSQLError(.schema, "there is no ledger; name the one that the service writes")
        }
    }

    private static func hasLedger(_ made: Set<String>) -> Bool { made.contains(LedgerSQL.migration.name) }

    /// The names of the steps that the database has; `nil` when it has no table of them.
    ///
    /// From here on the connection looks for tables where that one is first, and makes them there.
    private static func made(on connection: PostgreSQLConnection) throws(PostgreSQLError) -> Set<String>? {
        guard try connection.run(stay()).count > 0 else { return nil }
        let rows = try connection.run(names())
        var made: Set<String> = []
        for row in rows.rows { made.insert(try rows.text(row, 0)) }
        return made
    }

    private static func due(after made: Set<String>, at place: String) throws(PostgreSQLError) -> [Migration] {
        do throws(StorageFailure) {
            return try Migration.due(after: made, at: place)
        } catch {
            throw PostgreSQLError(.schema, error.detail)
        }
    }

    private static let lock = PostgreSQLStatement(sql: "SELECT pg_advisory_xact_lock($1)")
    private static let takeTime = PostgreSQLStatement(
        sql: "SELECT set_config('statement_timeout', '0', true)"
    )
    /// The path is looked through for tables that are there, and those that are made come into its first schema: that may
    /// be another one than when the tables were made, such as the user's own, which somebody has added since.
    private static let stay = PostgreSQLStatement(
        sql: """
            SELECT set_config('search_path', concat_ws(', ', quote_ident(nspname::text),
                nullif(current_setting('search_path'), '')), false)
            FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE pg_class.oid = to_regclass('schema_migrations')
            """
    )
    private static let names = PostgreSQLStatement(sql: "SELECT name FROM schema_migrations")
    private static let note = PostgreSQLStatement(
        sql: "INSERT INTO schema_migrations (name) VALUES ($1)"
    )
}

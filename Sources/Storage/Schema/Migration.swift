import Offers

/// A step from one schema to the next: forward only, and never changed once it was released.
///
/// The statements are plain SQL that SQLite and PostgreSQL both take: `BIGINT`, `TEXT` and `BYTEA` columns, and no
/// types, functions or defaults of one of them alone. Placeholders of all shared SQL are `$1`, `$2`, … in the order of
/// their first use, which both take too. Times are milliseconds since 1970.
struct Migration: Sendable {
    /// The step's name, as the table `schema_migrations` keeps it.
    let name: String
    /// The statements of both databases, in their order.
    let statements: [String]
    /// The statements of one of them, after those of both.
    let others: [SQLDialect: [String]]

    init(_ name: String, _ statements: [String], others: [SQLDialect: [String]] = [:]) {
        self.name = name
        self.statements = statements
        self.others = others
    }

    static let table = "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT NOT NULL PRIMARY KEY)"

    private static let names: [SQLDialect: String] = [
        .sqlite: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'",
        .postgreSQL: "SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL",
    ]

    /// Does the steps that a database does not have yet, and gives their names.
    @discardableResult
    static func migrate(
        _ session: any Session,
        at place: String,
        steps: [Migration] = inOrder
    ) throws(StorageFailure) -> [String] {
        try session.run(table)
        let due = try due(after: made(session), at: place, steps: steps)
        for step in due {
            // Each statement by itself, as it may name tables of those before it.
            for sql in step.statements + (step.others[session.dialect] ?? []) { try session.run(sql) }
            try session.run("INSERT INTO schema_migrations (name) VALUES ($1)", .text(step.name))
        }
        return due.map(\.name)
    }

    /// Refuses a database without the tables of this version; nothing is made.
    static func check(_ session: any Session, at place: String) throws(StorageFailure) {
        let made = try made(session)
        guard try !due(after: made, at: place).isEmpty else { return }
        throw StorageFailure(
            .notMigrated,
            made.isEmpty
                ? "\(place): there is no ledger; start the service once to make it, or name the one that it writes"
                : "\(place) is not up to date; start the service, or any command that writes, once to bring it up"
        )
    }

    static func made(_ session: any Session) throws(StorageFailure) -> Set<String> {
        guard let sql = names[session.dialect], try session.run(sql).count > 0 else { return [] }
        let rows = try session.run("SELECT name FROM schema_migrations")
        return Set(try rows.rows.map { row throws(StorageFailure) in try rows.text(row, 0) })
    }

    static func due(
        after made: Set<String>,
        at place: String,
        steps: [Migration] = inOrder
    ) throws(StorageFailure) -> [Migration] {
        let unknown = made.subtracting(steps.map(\.name))
        guard unknown.isEmpty else {
            throw StorageFailure(
                .newerSchema,
                "\(place) was changed by another version of offer-signer (\(unknown.sorted().joined(separator: ", "))); "
                    + "use that version, or a backup from before it"
            )
        }
        return steps.filter { !made.contains($0.name) }
    }
}

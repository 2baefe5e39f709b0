/// A step from one schema to the next: forward only, and never changed once it was released.
///
/// The statements are plain SQL that SQLite and PostgreSQL both take: `BIGINT`, `TEXT` and `BYTEA` columns, and no
/// types, functions or defaults of one of them alone. Placeholders of all shared SQL are `$1`, `$2`, … in the order of
/// their first use, which both take too. Times are milliseconds since 1970. Where one of them alone gains by a step, the
/// other makes it by doing nothing.
struct Migration: Sendable {
    /// The step's name, as the table `schema_migrations` keeps it.
    let name: String
    /// The statements for SQLite, in their order.
    let sqliteStatements: [String]
    /// The statements for PostgreSQL, in their order.
    let postgreSQLStatements: [String]
    /// Whether what was written before the step can be read by this version only after it.
    let isForReaders: Bool

    /// A step of both databases.
    init(_ name: String, _ statements: [String]) {
        self.init(name, sqlite: statements, postgreSQL: statements)
    }

    /// A step that differs.
    init(_ name: String, sqlite: [String], postgreSQL: [String], isForReaders: Bool = true) {
        self.name = name
        self.isForReaders = isForReaders
        sqliteStatements = sqlite
        postgreSQLStatements = postgreSQL
    }

    /// Where the names of the steps that were made are kept.
    static let table = "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT NOT NULL PRIMARY KEY)"

    /// The steps that a database still needs.
    ///
    /// - Parameters:
    ///   - made: The names of the steps that it has.
    ///   - place: The database, for the error.
    /// - Returns: The steps, in their order.
    /// - Throws: ``StorageFailure`` when it has steps that this version does not know.
    static func due(after made: Set<String>, at place: String) throws(StorageFailure) -> [Migration] {
        let unknown = made.subtracting(inOrder.map(\.name))
        guard unknown.isEmpty else {
            throw StorageFailure(
                .newerSchema,
                "\(place) was changed by a newer version of offer-signer (\(unknown.sorted().joined(separator: ", "))); "
                    + "use that version, or a backup from before it"
            )
        }
        return inOrder.filter { !made.contains($0.name) }
    }
}

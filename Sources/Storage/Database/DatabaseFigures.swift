package import Offers

/// The figures of a database for its operator: its size, and the redemptions of a day.
package struct DatabaseFigures: Equatable, Sendable {
    /// How large the database is: an SQLite file without its log, or all of a PostgreSQL database.
    package let bytes: Int
    /// Redemptions in production within the last 24 hours, of offers that were signed here, by app.
    package let redemptions: [String: Int]

    private static let redemptionsSQL =
        "SELECT bundle_id, COUNT(*) AS total FROM redemptions "
        + "WHERE redeemed_at >= $1 AND environment = $2 AND signed_writer IS NOT NULL GROUP BY bundle_id"

    /// Asks a database, and waits for it.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - now: The server's clock.
    /// - Throws: ``StorageFailure``.
    package init(of database: any SQLDatabase, at now: Timestamp) throws(StorageFailure) {
        self = try database.read { session throws(StorageFailure) in
            let size =
                switch session.dialect {
                case .sqlite: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
                case .postgreSQL: "SELECT pg_database_size(current_database())"
                }
            let bytes = try session.run(size).integer(0, 0)
            let rows = try session.run(
                Self.redemptionsSQL,
                .integer(now.adding(seconds: -86_400).millisecondsSince1970),
                .text(AppStoreEnvironment.production.rawValue)
            )
            var redemptions: [String: Int] = [:]
            for row in rows.rows { redemptions[try rows.text(row, 0)] = Int(try rows.integer(row, 1)) }
            return Self(bytes: Int(bytes), redemptions: redemptions)
        }
    }

    private init(bytes: Int, redemptions: [String: Int]) {
        self.bytes = bytes
        self.redemptions = redemptions
    }
}

/// The figures of a database, asked for once a minute at the most.
package final class RecentDatabaseFigures: Sendable {
    private let figures: RecentFigure<DatabaseFigures>

    /// Asks for nothing yet.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - now: The server's clock.
    package init(of database: any SQLDatabase, now: @escaping @Sendable () -> Timestamp) {
        figures = RecentFigure { try? DatabaseFigures(of: database, at: now()) }
    }

    /// The figures; `nil` when the database cannot be read.
    package var value: DatabaseFigures? { get async { await figures.value } }
}

import Dispatch
package import Offers

/// The figures of a database for its operator.
package struct DatabaseFigures: Equatable, Sendable {
    /// The size of an SQLite file without its log, or of all of a PostgreSQL database.
    package let bytes: Int
    /// Redemptions in production within the last 24 hours, of offers that were signed here, by app.
    package let redemptions: [String: Int]
    /// Signatures of the current and the last day in UTC for which eligibility was not judged.
    package let skippedEligibility: Int
    /// When the whole ledger was last verified, 1970 where a fault was found; `nil` where it was not yet.
    package let verifiedAt: Timestamp?
}

extension DatabaseFigures {
    private static let redemptionsSQL =
        "SELECT bundle_id, COUNT(*) AS total FROM redemptions "
        + "WHERE redeemed_at >= $1 AND environment = $2 AND signed_writer IS NOT NULL GROUP BY bundle_id"

    private static let skippedSQL =
        "SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) AS total FROM offer_counts WHERE day >= $1 AND reason = $2"

    static let fileSizeSQL = "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()"

    init(of database: any SQLDatabase, at now: Timestamp) throws(StorageFailure) {
        self = try database.read { session throws(StorageFailure) in
            let size =
                switch session.dialect {
                case .sqlite: Self.fileSizeSQL
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
            let skipped = try session.run(
                Self.skippedSQL,
                .integer(FunnelPeriod.day(of: now) - 1),
                .text(Reason.eligibilitySkipped.rawValue)
            )
            let verified = try session.run(OverviewSQL.verification)
            var verifiedAt: Timestamp?
            if verified.count > 0 {
                let isSound = try verified.integer(0, 3) == 0
                verifiedAt = Timestamp(millisecondsSince1970: isSound ? try verified.integer(0, 0) : 0)
            }
            return Self(
                bytes: Int(bytes),
                redemptions: redemptions,
                skippedEligibility: Int(try skipped.integer(0, 0)),
                verifiedAt: verifiedAt
            )
        }
    }
}

extension RecentFigure where Value == DatabaseFigures {
    /// The figures of a database as they were found last; `nil` before.
    package func latest(of database: any SQLDatabase, at now: Timestamp) -> (value: Value, age: Duration)? {
        latest { await DispatchQueue.global(qos: .utility).perform { try? DatabaseFigures(of: database, at: now) } }
    }
}

import Crypto

/// Advisory locks: those of one transaction at a time, among all services that share the database.
enum AdvisoryLocks {
    /// The key of what a lock stands for, 64 bits of a SHA-256; two that share one only wait for each other.
    ///
    /// - Parameter name: What it stands for.
    /// - Returns: The key.
    static func key(_ name: [UInt8]) -> Int64 {
        SHA256.hash(data: name).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Takes locks, and keeps them until the transaction ends.
    ///
    /// Everybody takes them in the same order, so that nobody waits in a circle.
    ///
    /// - Parameter keys: The keys.
    /// - Returns: What to run.
    static func takeUntilCommit(_ keys: Set<Int64>) -> PostgreSQLCall { take(.integers(keys.sorted())) }

    /// Takes locks, each shared with nobody, and beside them the one of them all, shared with everybody who does so.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - all: The key of the lock of them all.
    /// - Returns: What to run.
    static func takeUntilCommit(_ keys: Set<Int64>, beside all: Int64) -> [PostgreSQLCall] {
        [takeShared(.integer(all)), takeUntilCommit(keys)]
    }

    private static let takeShared = PostgreSQLStatement(sql: "SELECT pg_advisory_xact_lock_shared($1)")

    private static let take = PostgreSQLStatement(
        sql: "SELECT count(pg_advisory_xact_lock(key)) FROM (SELECT key FROM unnest($1::int8[]) AS keys (key)) AS keys"
    )
}

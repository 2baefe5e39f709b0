public import Offers

extension DurableSubscriptionStates {
    /// Opens the held state of an SQLite file.
    ///
    /// - Parameters:
    ///   - database: The file.
    ///   - digestKey: The key of the ledger's digests, by which redemptions find their signatures.
    ///   - now: The server's clock.
    public convenience init(
        in database: SQLiteDatabase,
        digestKey: DigestKey,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.init(SQLiteStateStore(database, digestKey: digestKey), now: now)
    }

    /// Opens the held state of a PostgreSQL database, which other services may share: what one learns, all know.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - digestKey: The key of the ledger's digests, by which redemptions find their signatures.
    ///   - now: The server's clock.
    public convenience init(
        in database: PostgreSQLDatabase,
        digestKey: DigestKey,
        now: @escaping @Sendable () -> Timestamp
    ) {
        var bounds = Bounds()
        bounds.isShared = true
        self.init(PostgreSQLStateStore(database, digestKey: digestKey), bounds: bounds, now: now)
    }
}

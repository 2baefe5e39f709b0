package import Offers

extension DurableSubscriptionStates {
    /// Opens the held state of a database, which other services may share: what one learns, all know.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - digestKey: The key of the ledger's digests, by which redemptions find their signatures.
    ///   - now: The server's clock.
    package convenience init(
        in database: any SQLDatabase,
        digestKey: DigestKey,
        now: @escaping @Sendable () -> Timestamp
    ) {
        var bounds = Bounds()
        bounds.isShared = database.dialect == .postgreSQL
        self.init(DatabaseStateStore(database, digestKey: digestKey), bounds: bounds, now: now)
    }
}

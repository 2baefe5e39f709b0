/// A redemption at its position in the feed of its app.
package struct FeedEntry: Equatable, Sendable {
    /// Positions grow; each is higher than that of every redemption that became known before.
    package let position: Int64
    package let redemption: OfferRedemption
    package let environment: AppStoreEnvironment
    /// The nonce of the signature that made it possible; `nil` if this ledger has none, or no longer has it.
    package let nonce: String?

    package init(position: Int64, redemption: OfferRedemption, environment: AppStoreEnvironment, nonce: String?) {
        self.position = position
        self.redemption = redemption
        self.environment = environment
        self.nonce = nonce
    }
}

/// The port to the stored redemptions of apps.
package protocol RedemptionStore: Sendable {
    /// The redemptions of an app after a position, in order; `nil` for a position that was never given.
    func redemptions(of bundleId: String, after position: Int64, limit: Int) async throws(StorageFailure)
        -> [FeedEntry]?

    /// The position after which the first redemption stands that was stored since a moment; the last one where none was.
    func position(of bundleId: String, before since: Timestamp) async throws(StorageFailure) -> Int64
}

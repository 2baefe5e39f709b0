/// A promotional offer that was redeemed, as the first transaction of a run under it shows.
///
/// Optional members are `nil` where Apple did not say.
package struct OfferRedemption: Hashable, Sendable {
    package let originalTransactionId: String
    package let transactionId: String?
    package let productId: String
    package let subscriptionGroupIdentifier: String?
    package let offerId: String
    package let purchaseDate: Timestamp?
    package let price: PaidPrice?
    /// The App Store's country, in ISO 3166-1 alpha-3.
    package let storefront: String?
    /// Apple's number for the purchase.
    package let webOrderLineItemId: String?
}

extension HeldSubscription {
    /// The oldest first; a pay-as-you-go offer names itself on each renewal of one redemption, see ``RedemptionRun``.
    package var redemptions: [OfferRedemption] {
        guard hasRedemptions else { return [] }
        var run = RedemptionRun()
        var found: [OfferRedemption] = []
        for transaction in (transactions.values.map(\.value) + shown.values).ownPurchases {
            guard run.turns(at: transaction), let offerId = run.offerId else { continue }
            found.append(
                OfferRedemption(
                    originalTransactionId: identity.originalTransactionId,
                    transactionId: transaction.transactionId,
                    productId: transaction.productId,
                    subscriptionGroupIdentifier: transaction.subscriptionGroupIdentifier,
                    offerId: offerId,
                    purchaseDate: transaction.purchaseDate,
                    price: transaction.price,
                    storefront: transaction.storefront,
                    webOrderLineItemId: transaction.webOrderLineItemId
                )
            )
        }
        return found
    }

    /// Whether a promotional offer was redeemed, as far as is held.
    package var hasRedemptions: Bool { !shown.isEmpty || transactions.values.contains { $0.value.offer?.catalogId != nil } }
}

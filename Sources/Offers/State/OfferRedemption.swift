/// A promotional offer that was redeemed, as the first transaction of a run under it shows.
package struct OfferRedemption: Hashable, Sendable {
    /// The subscription.
    package let originalTransactionId: String
    /// The transaction; `nil` where nobody said.
    package let transactionId: String?
    /// The product that was bought.
    package let productId: String
    /// The product's group, where Apple said it.
    package let subscriptionGroupIdentifier: String?
    /// The promotional offer's identifier.
    package let offerId: String
    /// When it was bought.
    package let purchaseDate: Timestamp?
    /// The price that was paid; `nil` where Apple did not say.
    package let price: PaidPrice?
    /// The App Store's country, in ISO 3166-1 alpha-3; `nil` where Apple did not say.
    package let storefront: String?
    /// Apple's number for the purchase; `nil` where Apple did not say.
    package let webOrderLineItemId: String?
}

extension HeldSubscription {
    /// The promotional offers that were redeemed, the oldest first.
    ///
    /// A pay-as-you-go offer names itself on each renewal that it covers: that is one redemption, see ``RedemptionRun``.
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
    var hasRedemptions: Bool { !shown.isEmpty || transactions.values.contains { $0.value.offer?.catalogId != nil } }
}

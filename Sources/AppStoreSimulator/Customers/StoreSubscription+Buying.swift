import Offers

extension StoreSubscription {
    /// Begins a subscription in a group that the customer was never in.
    ///
    /// - Parameters:
    ///   - product: What is bought.
    ///   - offer: The offer it is bought at.
    ///   - start: When.
    ///   - account: The account on the payment.
    ///   - numbers: Where the transaction's identifier comes from.
    init(
        buying product: StoreProduct,
        offer: StoreOffer?,
        at start: Timestamp,
        account: String?,
        numbers: inout TransactionNumbers
    ) {
        let id = numbers.next()
        latest = StoreTransaction(
            transactionId: id,
            originalTransactionId: id,
            productId: product.id,
            groupId: product.groupId,
            purchaseDate: start,
            originalPurchaseDate: start,
            expiresDate: (offer?.period ?? product.period).after(start),
            offer: offer,
            price: offer?.price ?? product.price,
            reason: .purchase,
            appAccountToken: account,
            isFamilyShared: false
        )
        earlier = []
        phase = .current
        autoRenewProductId = product.id
        willAutoRenew = true
        paymentFails = false
        if let offer {
            var use = OfferInUse(offer)
            use.paymentsLeft -= 1
            offerInUse = use.paymentsLeft > 0 ? use : nil
        }
    }

    /// Buys in the group of this subscription.
    ///
    /// Without access, the purchase begins now. With access, one of a higher level begins now, and everything else at
    /// the next billing, an offer on the same product too ("Auto-renewable subscriptions", Apple).
    ///
    /// - Parameters:
    ///   - product: What is bought.
    ///   - old: The product that the customer has.
    ///   - offer: The offer it is bought at.
    ///   - now: When.
    ///   - account: The account on the payment.
    ///   - numbers: Where the transaction's identifier comes from.
    /// - Returns: What the App Store notifies of.
    mutating func buy(
        _ product: StoreProduct,
        insteadOf old: StoreProduct?,
        offer: StoreOffer?,
        at now: Timestamp,
        account: String?,
        numbers: inout TransactionNumbers
    ) -> (StoreEvent.Kind, StoreEvent.Subtype?) {
        willAutoRenew = true
        paymentFails = false
        offerInUse = offer.map { OfferInUse($0) }
        guard status == 1, let old else {
            begin(product, at: now, reason: .purchase, account: account, numbers: &numbers)
            return (.subscribed, .resubscribe)
        }
        if product.id == old.id {
            return offer == nil ? (.didChangeRenewalStatus, .autoRenewEnabled) : (.offerRedeemed, nil)
        }
        let isUpgrade = product.level < old.level
        if isUpgrade || (product.level == old.level && product.period == old.period) {
            latest.isUpgraded = true
            begin(product, at: now, reason: .purchase, account: account, numbers: &numbers)
            return offer == nil ? (.didChangeRenewalPreference, .upgrade) : (.offerRedeemed, .upgrade)
        }
        autoRenewProductId = product.id
        return offer == nil ? (.didChangeRenewalPreference, .downgrade) : (.offerRedeemed, .downgrade)
    }
}

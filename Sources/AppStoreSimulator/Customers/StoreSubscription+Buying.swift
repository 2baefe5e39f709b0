import Offers

extension StoreSubscription {
    /// Begins a subscription in a group that the customer was never in.
    init(buying payment: Payment, isFamilyShared: Bool = false, numbers: inout TransactionNumbers) {
        latest = payment.transaction(.purchase, isFamilyShared: isFamilyShared, numbers: &numbers)
        earlier = []
        phase = .current
        autoRenewProductId = payment.product.id
        autoRenewPlan = payment.plan
        willAutoRenew = true
        paymentFails = false
        offerInUse = payment.offer.map { OfferInUse($0) }
        payAtOffer()
    }

    /// Buys in the group of this subscription, and returns what the App Store notifies of.
    ///
    /// Without access, the purchase begins now. With access, one of a higher level begins now, and everything else at
    /// the next renewal, an offer on the same product too ("Auto-renewable subscriptions", Apple). A commitment ends
    /// early for a higher level alone.
    mutating func buy(
        _ payment: Payment,
        insteadOf old: StoreProduct?,
        numbers: inout TransactionNumbers
    ) -> (StoreEvent.Kind, StoreEvent.Subtype?) {
        let (product, plan) = (payment.product, payment.plan)
        willAutoRenew = true
        paymentFails = false
        offerInUse = payment.offer.map { OfferInUse($0) }
        guard status == 1, let old else {
            begin(payment, .purchase, numbers: &numbers)
            return (.subscribed, .resubscribe)
        }
        let hasOffer = payment.offer != nil
        let isSamePlan = plan == latest.plan
        let isUpgrade = product.level < old.level
        let isEqual = product.level == old.level && product.period == old.period && isSamePlan
        if product.id != old.id, isUpgrade || isEqual {
            latest.isUpgraded = true
            begin(payment, .purchase, numbers: &numbers)
            return hasOffer ? (.offerRedeemed, .upgrade) : (.didChangeRenewalPreference, .upgrade)
        }
        autoRenewProductId = product.id
        autoRenewPlan = plan
        if product.id == old.id, isSamePlan {
            return hasOffer ? (.offerRedeemed, nil) : (.didChangeRenewalStatus, .autoRenewEnabled)
        }
        return hasOffer ? (.offerRedeemed, .downgrade) : (.didChangeRenewalPreference, .downgrade)
    }
}

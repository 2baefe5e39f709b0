import Offers

extension AppStoreWorld {
    /// Refunds a transaction, or ends a family member's share in it.
    ///
    /// The subscription ends with its newest transaction; an older one changes nothing else.
    ///
    /// - Returns: Whose it is, and what happened.
    /// - Throws: ``RequestFault`` when there is none, or it was revoked before.
    mutating func revoke(
        _ id: String,
        _ kind: StoreTransaction.Revocation.Kind
    ) throws(RequestFault) -> (customer: StoreCustomer, events: [StoreEvent]) {
        let (index, position) = try place(id) { subscription in
            subscription.transactions.contains { $0.transactionId == id }
        }
        let now = clock.now
        var subscription = customers.all[index].subscriptions[position]
        guard var transaction = customers.all[index].transaction(id) else { throw Self.noTransaction }
        guard transaction.revocation == nil else {
            throw .member("transactionId", "The transaction was refunded, or revoked, before.")
        }
        if kind == .familyRevoke, !transaction.isFamilyShared {
            throw .member("transactionId", "The customer pays for it; POST /simulator/refunds refunds it.")
        }
        transaction.revocation = StoreTransaction.Revocation(date: now, kind: kind)
        if subscription.latest.transactionId == id {
            subscription.latest = transaction
            subscription.phase = .revoked
            subscription.willAutoRenew = false
        } else if let old = subscription.earlier.firstIndex(where: { $0.transactionId == id }) {
            subscription.earlier[old] = transaction
        }
        customers.set(subscription, at: position, of: index)
        let event = StoreEvent(kind == .familyRevoke ? .revoke : .refund, at: now, subscription, about: transaction)
        return (customers.all[index], [event])
    }

    /// Redeems a retention offer, as a customer does on the cancellation page: it begins with the next payment.
    ///
    /// - Returns: Whose it is, and what happened.
    /// - Throws: ``RequestFault`` when there is no such subscription or offer.
    mutating func redeemRetentionOffer(
        _ offerId: String,
        for id: String
    ) throws(RequestFault) -> (customer: StoreCustomer, events: [StoreEvent]) {
        let (index, position) = try place(id) { $0.originalTransactionId == id }
        var subscription = customers.all[index].subscriptions[position]
        guard subscription.status == 1 else {
            throw .member("originalTransactionId", "The subscription is not active: there is nothing to cancel.")
        }
        let latest = subscription.latest
        let product = app(customers.all[index].bundleId)?.product(latest.productId)
        guard let offer = product?.retentionOffer(offerId), offer.plan == latest.plan else {
            throw .member(
                "offerId",
                "\(latest.productId), \(latest.plan.rawValue), has no such retention offer; set one up in app-store.yaml."
            )
        }
        subscription.willAutoRenew = true
        subscription.autoRenewProductId = latest.productId
        subscription.autoRenewPlan = latest.plan
        subscription.offerInUse = OfferInUse(offer)
        customers.set(subscription, at: position, of: index)
        return (customers.all[index], [StoreEvent(.offerRedeemed, at: clock.now, subscription)])
    }

    /// Changes whether a subscription renews, or whether its payments fail.
    ///
    /// - Parameters:
    ///   - id: The original transaction's identifier.
    ///   - willAutoRenew: Whether the customer lets it renew; `nil` changes nothing.
    ///   - paymentFails: Whether payments fail; `nil` changes nothing. One that no longer fails is made at once.
    /// - Returns: Whose it is, and what happened.
    /// - Throws: ``RequestFault`` when there is no such subscription.
    mutating func change(
        _ id: String,
        willAutoRenew: Bool?,
        paymentFails: Bool?
    ) throws(RequestFault) -> (customer: StoreCustomer, events: [StoreEvent]) {
        let (index, position) = try place(id) { $0.originalTransactionId == id }
        guard let app = app(customers.all[index].bundleId) else { throw Self.noTransaction }
        let now = clock.now
        var subscription = customers.all[index].subscriptions[position]
        var events: [StoreEvent] = []
        if let willAutoRenew, willAutoRenew != subscription.willAutoRenew {
            guard subscription.hasAccess else {
                throw .member("autoRenew", "The subscription has ended; buy it again by POST /simulator/purchases.")
            }
            subscription.willAutoRenew = willAutoRenew
            let subtype: StoreEvent.Subtype = willAutoRenew ? .autoRenewEnabled : .autoRenewDisabled
            events.append(StoreEvent(.didChangeRenewalStatus, subtype, at: now, subscription))
        }
        if let paymentFails {
            subscription.paymentFails = paymentFails
            if !paymentFails, subscription.isInBillingRetryPeriod,
                subscription.renew(at: now, in: app, numbers: &numbers)
            {
                events.append(StoreEvent(.didRenew, .billingRecovery, at: now, subscription))
            }
        }
        customers.set(subscription, at: position, of: index)
        return (customers.all[index], events)
    }

    private static let noTransaction = RequestFault.notFound(
        "No customer has that transaction; GET /simulator/customers lists them."
    )

    private func place(
        _ id: String,
        _ matches: (StoreSubscription) -> Bool
    ) throws(RequestFault) -> (customer: Int, subscription: Int) {
        guard let index = customers.index(owning: id),
            let position = customers.all[index].subscriptions.firstIndex(where: matches)
        else { throw Self.noTransaction }
        return (index, position)
    }
}

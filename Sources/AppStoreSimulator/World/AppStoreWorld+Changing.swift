import Offers

extension AppStoreWorld {
    /// Refunds a transaction.
    ///
    /// - Parameter id: Its identifier.
    /// - Returns: Whose it is, and what happened.
    /// - Throws: ``RequestFault`` when there is none, or it was refunded before.
    mutating func refund(_ id: String) throws(RequestFault) -> (customer: StoreCustomer, event: StoreEvent) {
        let (index, position) = try place(id) { subscription in
            subscription.transactions.contains { $0.transactionId == id }
        }
        let now = clock.now
        var subscription = customers.all[index].subscriptions[position]
        let revocation = StoreTransaction.Revocation(date: now, reason: 0)
        if subscription.latest.transactionId == id {
            guard subscription.latest.revocation == nil else { throw Self.refundedBefore }
            subscription.latest.revocation = revocation
            subscription.phase = .revoked
            subscription.willAutoRenew = false
        } else if let old = subscription.earlier.firstIndex(where: { $0.transactionId == id }) {
            guard subscription.earlier[old].revocation == nil else { throw Self.refundedBefore }
            subscription.earlier[old].revocation = revocation
        }
        customers.set(subscription, at: position, of: index)
        return (customers.all[index], StoreEvent(.refund, at: now, subscription))
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

    private static let refundedBefore = RequestFault.member("transactionId", "The transaction was refunded before.")
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

/// The customer of a retention call, as remembered: all of one subscription, whichever accounts it was bought for.
package struct RetentionCustomer: Sendable {
    /// `nil` for a subscription that is not known.
    package let history: SubscriptionHistory?
    /// The account that has the subscription, where it is known: caps count for it as for its own requests.
    package let account: AccountDigest?

    package init(_ subscription: SubscriptionIdentity, in state: HeldState, of app: App) {
        let held = state.subscriptions.first { $0.identity == subscription }
        var history = SubscriptionHistory(
            held: HeldState(subscriptions: state.subscriptions),
            of: app,
            for: AccountView(),
            asking: subscription.originalTransactionId
        )
        // The call names no account: the accounts of purchases are no reason to leave any out.
        for index in history?.transactions.indices ?? 0..<0 { history?.transactions[index].appAccountToken = nil }
        self.init(history: history, account: history == nil ? nil : held?.owner(in: app))
    }

    private init(history: SubscriptionHistory?, account: AccountDigest?) {
        self.history = history
        self.account = account
    }

    /// The same customer, with the redemptions by the account's other subscriptions, given the account's held state.
    package func redeeming(
        by state: HeldState,
        beside subscription: SubscriptionIdentity
    ) -> RetentionCustomer {
        var history = history
        let same = [subscription.originalTransactionId] + (history?.otherIds[subscription.originalTransactionId] ?? [])
        for held in state.subscriptions
        where !same.contains(held.identity.originalTransactionId) && held.identity.bundleId == subscription.bundleId
            && held.identity.environment == subscription.environment
        {
            history?.otherRedemptions += held.redemptions
        }
        return RetentionCustomer(history: history, account: account)
    }
}

extension HeldSubscription {
    /// The account that has the subscription: of the newest purchase with one; without any the only presenter; `nil` if
    /// not known.
    ///
    /// The presenter says nothing of the owner if a part of a name is the customer.
    fileprivate func owner(in app: App) -> AccountDigest? {
        let newest = transactions.values.lazy.map(\.value).filter { $0.appAccountToken != nil }
            .max(by: Transaction.isOlder)
        if let pseudonym = newest?.appAccountToken { return accounts.keys.first { $0.pseudonym == pseudonym } }
        guard app.customerSeparator == nil else { return nil }
        let presenters = accounts.filter { if case .presented = $0.value { true } else { false } }
        return presenters.count == 1 ? presenters.first?.key : nil
    }
}

/// One subscription of a customer: its entry, the transaction that its state rests on, and the state.
public struct Subscription: Equatable, Sendable {
    /// What the customer is by this subscription.
    public let state: SubscriberState
    /// The entry of `pending_renewal_info`, or the renewal info.
    public let renewal: RenewalInfo
    /// The newest transaction that counts; `nil` when the evidence has none.
    public let transaction: Transaction?

    /// Reads the state of a subscription at Apple's clock.
    ///
    /// Upgraded transactions are left out; shared ones never count for a purchase; of the rest the newest by purchase
    /// date decides, not the one that expires last: after a refunded year a month bought anew is what the customer has.
    ///
    /// - Parameters:
    ///   - renewal: The entry.
    ///   - transactions: The transactions of the same subscription, in any order.
    ///   - clock: Apple's clock.
    public init(renewal: RenewalInfo, transactions: [Transaction], at clock: Timestamp) {
        self.renewal = renewal
        let current = transactions.filter { !$0.isUpgraded }
        let purchased = current.filter { !$0.isFamilyShared }
        guard let newest = purchased.max(by: Transaction.isOlder) else {
            self.transaction = current.max(by: Transaction.isOlder)
            self.state = current.isEmpty ? Self.state(of: renewal, at: clock) : .familyShared
            return
        }
        self.transaction = newest
        if newest.revocationDate != nil {
            self.state = .refunded
        } else if let expiry = newest.expiresDate, expiry > clock {
            self.state = renewal.autoRenewStatus == false ? .activeAutoRenewOff : .active
        } else {
            self.state = Self.failedRenewal(of: renewal, at: clock) ?? .lapsed
        }
    }

    /// The state as an entry alone tells it.
    private static func state(of renewal: RenewalInfo, at clock: Timestamp) -> SubscriberState {
        if let state = failedRenewal(of: renewal, at: clock) { return state }
        if renewal.hasExpirationIntent { return .lapsed }
        return renewal.autoRenewStatus == false ? .activeAutoRenewOff : .active
    }

    /// Grace period or billing retry, when the entry says so.
    ///
    /// In grace is only who has grace left.
    private static func failedRenewal(of renewal: RenewalInfo, at clock: Timestamp) -> SubscriberState? {
        if let grace = renewal.gracePeriodExpiresDate, grace > clock { return .gracePeriod }
        return renewal.isInBillingRetryPeriod ? .billingRetry : nil
    }
}

/// One subscription of a customer: its entry, the transaction that its state rests on, and the state.
///
/// A reference, as each rule looks at it.
public final class Subscription: Sendable {
    /// What the customer is by this subscription.
    public let state: SubscriberState
    /// What the customer would be if shared purchases counted as their own; the same as ``state`` unless that is
    /// ``SubscriberState/familyShared``.
    public let stateCountingShared: SubscriberState
    /// The entry of `pending_renewal_info`, or the renewal info.
    public let renewal: RenewalInfo
    /// The newest transaction that counts; `nil` when the evidence has none.
    public let transaction: Transaction?
    /// The clock at which its state was read.
    let clock: Timestamp

    /// The transaction that a subscription's state rests on.
    ///
    /// Upgraded transactions are left out; shared ones never count for a purchase; of the rest the newest by purchase
    /// date decides, not the one that expires last: after a refunded year a month bought anew is what the customer has.
    ///
    /// - Parameters:
    ///   - transactions: Transactions in any order.
    ///   - isOfSubscription: Which of them are of the subscription; all, unless said.
    /// - Returns: The newest that counts; `nil` when there is none.
    static func newest(
        of transactions: [Transaction],
        where isOfSubscription: (Transaction) -> Bool = { _ in true }
    ) -> Transaction? {
        var newest: Int?
        var newestPurchase: Int?
        // By their places, and where they lie: copying a transaction takes longer than looking at it.
        let all = transactions.span
        for index in all.indices where !all[index].isUpgraded && isOfSubscription(all[index]) {
            if Self.isNewest(all, index, than: newest) { newest = index }
            guard !all[index].isFamilyShared else { continue }
            if Self.isNewest(all, index, than: newestPurchase) { newestPurchase = index }
        }
        guard let index = newestPurchase ?? newest else { return nil }
        return transactions[index]
    }

    private static func isNewest(_ all: Span<Transaction>, _ index: Int, than other: Int?) -> Bool {
        guard let other else { return true }
        return Transaction.isOlder(all[other], all[index])
    }

    /// Reads the state of a subscription at Apple's clock.
    ///
    /// - Parameters:
    ///   - renewal: The entry.
    ///   - newest: The newest transaction that counts; `nil` when there is none.
    ///   - clock: Apple's clock.
    init(renewal: RenewalInfo, newest: Transaction?, at clock: Timestamp) {
        self.renewal = renewal
        self.transaction = newest
        self.clock = clock
        guard let newest else {
            let state = Self.state(of: renewal, at: clock)
            self.stateCountingShared = state
            self.state = state
            return
        }
        let state = Self.state(of: newest, with: renewal, at: clock)
        self.stateCountingShared = state
        self.state = newest.isFamilyShared ? .familyShared : state
    }

    /// The identifier of its first purchase; `nil` where the evidence does not say.
    public var originalTransactionId: String? { transaction?.originalTransactionId ?? renewal.originalTransactionId }

    /// The product that the customer holds, or held last; `nil` where the evidence does not say.
    public var productId: String? { transaction?.productId ?? renewal.productId }

    /// Whether the customer has access by it, and not by a family member's purchase.
    var isRunning: Bool {
        switch state {
        case .active, .activeAutoRenewOff, .gracePeriod: true
        case .billingRetry, .lapsed, .refunded, .familyShared: false
        }
    }

    /// When the customer's access ended or ends: with the paid time, the grace period after it, or a refund before
    /// either; `nil` where the evidence does not say.
    public var endsAt: Timestamp? {
        let expiry = transaction?.expiresDate
        let grace = renewal.gracePeriodExpiresDate
        let end = [expiry, grace].compactMap(\.self).max()
        guard let revocation = transaction?.revocationDate else { return end }
        return end.map { min($0, revocation) } ?? revocation
    }

    /// The state as the newest transaction and its entry tell it.
    private static func state(
        of newest: Transaction,
        with renewal: RenewalInfo,
        at clock: Timestamp
    ) -> SubscriberState {
        if newest.revocationDate != nil { return .refunded }
        if let expiry = newest.expiresDate, expiry > clock {
            return renewal.autoRenewStatus == false ? .activeAutoRenewOff : .active
        }
        return failedRenewal(of: renewal, at: clock) ?? .lapsed
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

extension Subscription: Equatable {
    /// Whether two say the same.
    public static func == (left: Subscription, right: Subscription) -> Bool {
        left.state == right.state && left.stateCountingShared == right.stateCountingShared
            && left.renewal == right.renewal && left.transaction == right.transaction
    }
}

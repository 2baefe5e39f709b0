/// One subscription of a customer: its entry, the transaction that its state rests on, and the state.
///
/// A reference, as each rule looks at it.
public final class Subscription: Sendable {
    /// What the customer is by this subscription.
    public let state: SubscriberState
    /// What the customer would be if shared purchases counted as their own; the same as ``state`` unless that is
    /// ``SubscriberState/familyShared``.
    public let stateCountingShared: SubscriberState
    /// How well the state is known.
    public let certainty: StateCertainty
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

    /// Reads the state of a subscription.
    ///
    /// - Parameters:
    ///   - renewal: The entry.
    ///   - newest: The newest transaction that counts; `nil` when there is none.
    ///   - clocks: The clocks by which it is judged.
    init(renewal: RenewalInfo, newest: Transaction?, by clocks: SubscriptionClocks) {
        let reading = StateReading(of: newest, with: renewal, by: clocks)
        self.renewal = renewal
        self.transaction = newest
        clock = reading.clock
        certainty = reading.certainty
        stateCountingShared = reading.state
        state = newest?.isFamilyShared == true ? .familyShared : reading.state
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
        var end = [expiry, grace].compactMap(\.self).max()
        if let status = renewal.status, status.code == .expired { end = end.map { min($0, status.asOf) } }
        guard let revocation = transaction?.revocationDate else { return end }
        return end.map { min($0, revocation) } ?? revocation
    }
}

extension Subscription: Equatable {
    /// Whether two say the same.
    public static func == (left: Subscription, right: Subscription) -> Bool {
        left.state == right.state && left.stateCountingShared == right.stateCountingShared
            && left.certainty == right.certainty
            && left.renewal == right.renewal && left.transaction == right.transaction
    }
}

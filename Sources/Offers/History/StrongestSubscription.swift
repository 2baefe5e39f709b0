/// Of a customer's subscriptions in one place the one that counts: the one with the strongest state.
struct StrongestSubscription {
    /// What the customer is there.
    private(set) var standing: GroupStanding
    /// The products of the other subscriptions that are running.
    private(set) var alsoRunning: [String] = []
    /// Those that ended, whichever of them counts.
    private(set) var ended = EndedSubscriptions()

    /// Starts with what is so unless a subscription is found.
    ///
    /// - Parameter standing: What the customer is without one.
    init(standing: GroupStanding = .neverSubscribed) { self.standing = standing }

    /// Whether a subscription was found, or one of which nobody can say what became of it.
    var isSettled: Bool { standing != .neverSubscribed }

    /// Takes another subscription into account.
    ///
    /// - Parameters:
    ///   - renewal: Its entry.
    ///   - newest: Its newest transaction that counts; `nil` when there is none.
    ///   - clock: Apple's clock.
    mutating func consider(_ renewal: RenewalInfo, newest: Transaction?, at clock: Timestamp) {
        if newest == nil, renewal.isStandIn {
            // Upgraded ones alone: what came after them was left out.
            if standing == .neverSubscribed { standing = .noEvidence }
            return
        }
        consider(Subscription(renewal: renewal, newest: newest, at: clock))
    }

    private mutating func consider(_ subscription: Subscription) {
        ended.consider(subscription)
        guard case .subscriber(let strongest) = standing else {
            standing = .subscriber(subscription)
            return
        }
        let isStronger = Self.isWeaker(strongest, subscription)
        let weaker = isStronger ? strongest : subscription
        if weaker.isRunning, let productId = weaker.productId { alsoRunning.append(productId) }
        if isStronger { standing = .subscriber(subscription) }
    }

    /// Whether the left one counts less; of two with the same state the one whose access ends first does.
    ///
    /// Of two that end together the identifiers decide, so that the order of the list does not.
    static func isWeaker(_ left: Subscription, _ right: Subscription) -> Bool {
        guard left.state == right.state else { return left.state < right.state }
        guard left.stateCountingShared == right.stateCountingShared else {
            return left.stateCountingShared < right.stateCountingShared
        }
        let (leftEnd, rightEnd) = (left.endsAt, right.endsAt)
        guard leftEnd == rightEnd else {
            return (leftEnd?.millisecondsSince1970 ?? .min) < (rightEnd?.millisecondsSince1970 ?? .min)
        }
        if let leftTransaction = left.transaction, let rightTransaction = right.transaction,
            leftTransaction != rightTransaction
        {
            return Transaction.isOlder(leftTransaction, rightTransaction)
        }
        return tieBreaker(left.renewal).lexicographicallyPrecedes(tieBreaker(right.renewal))
    }

    private static func tieBreaker(_ renewal: RenewalInfo) -> [String] {
        [
            renewal.originalTransactionId ?? "", renewal.productId ?? "", renewal.autoRenewStatus == true ? "1" : "0",
            renewal.promotionalOfferId ?? "",
        ]
    }
}

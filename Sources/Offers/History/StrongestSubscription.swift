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
    ///   - clocks: The clocks by which it is judged.
    mutating func consider(_ renewal: RenewalInfo, newest: Transaction?, by clocks: SubscriptionClocks) {
        consider(Subscription(renewal: renewal, newest: newest, by: clocks))
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
    /// One of which nobody knows what became counts as strong as it may be: only one that is known to be active counts
    /// more. Of two that end together the identifiers decide, so that the order of the list does not.
    static func isWeaker(_ left: Subscription, _ right: Subscription) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
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
            renewal.offer.map { "\($0.type)\($0.identifier)" } ?? "",
        ]
    }
}

extension Subscription {
    /// How much it may count, the strongest first.
    fileprivate var rank: Int {
        switch state {
        case .familyShared: 3
        case .active where certainty == .known: 0
        default: certainty == .known ? 2 : 1
        }
    }
}

/// Finds the subscription that counts among a customer's subscriptions in one place: the one with the strongest state.
struct StrongestSubscription {
    private(set) var status: GroupStatus
    /// The other subscriptions whose state gives access, though not all may be known to run.
    private(set) var alsoRunning: [Subscription] = []
    /// All that ended, whichever of them counts.
    private(set) var ended = EndedSubscriptions()

    /// Starts with the status without any subscription.
    init(status: GroupStatus = .neverSubscribed) { self.status = status }

    /// Whether it is not certain that the customer has no access there.
    var mayRun: Bool { if case .subscriber(let subscription) = status { subscription.mayRun } else { false } }

    mutating func consider(_ subscription: Subscription) {
        ended.consider(subscription)
        guard case .subscriber(let strongest) = status else {
            status = .subscriber(subscription)
            return
        }
        let isStronger = Self.isWeaker(strongest, subscription)
        let weaker = isStronger ? strongest : subscription
        if weaker.isRunning { alsoRunning.append(weaker) }
        if isStronger { status = .subscriber(subscription) }
    }

    /// Whether the left one counts less; of two with the same state the one whose access ends first does.
    ///
    /// One of unknown fate counts as strong as it may be: only one that is known to be active counts more. Of two that
    /// end together the identifiers decide, so that the order of the list does not.
    static func isWeaker(_ left: Subscription, _ right: Subscription) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        guard left.state == right.state else { return left.state < right.state }
        guard left.isOverAge == right.isOverAge else { return left.isOverAge }
        guard left.stateCountingShared == right.stateCountingShared else {
            return left.stateCountingShared < right.stateCountingShared
        }
        // Entries of one subscription that contradict each other are several: the one in doubt counts.
        guard left.alternative == right.alternative else {
            guard let doubt = left.alternative, let other = right.alternative else { return left.alternative == nil }
            return doubt < other
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
        let (leftId, rightId) = (left.renewal.originalTransactionId ?? "", right.renewal.originalTransactionId ?? "")
        guard leftId == rightId else { return leftId < rightId }
        guard left.certainty.doubt == right.certainty.doubt else { return left.certainty.doubt < right.certainty.doubt }
        return left.renewal.doubt.lexicographicallyPrecedes(right.renewal.doubt)
    }
}

extension StateCertainty {
    fileprivate var doubt: Int {
        switch self {
        case .known: 0
        case .wasToRenew: 1
        case .endNotSaid: 2
        case .onlyRevokedAhead: 3
        case .notUnderstood: 4
        }
    }
}

extension RenewalInfo {
    /// What its subscription may be refused for, more of it the later in the order.
    fileprivate var doubt: [Int64] {
        let price: Int64 =
            switch priceIncrease {
            case .notDue: 0
            case .accepted: 1
            case .unknown: 2
            case .pending: 3
            }
        return [lapseReason?.intent ?? .max, price]
    }
}

extension Subscription {
    /// The strongest has the lowest rank.
    fileprivate var rank: Int {
        if isInTheWay { return 0 }
        switch state {
        case .familyShared, .assigned: return 5
        case .active where certainty == .known && alternative == nil: return 1
        case .active where certainty == .known && hasNoEntry: return 2
        // An end that is known by a purchase that is not understood counts less than any other.
        default:
            if case .notUnderstood(.ownership) = certainty { return 6 }
            return certainty == .known && alternative == nil ? 4 : 3
        }
    }
}

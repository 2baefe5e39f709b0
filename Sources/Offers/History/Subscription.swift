/// One subscription of a customer: its entry, the transaction that its state rests on, and the state.
///
/// A reference, as each rule looks at it.
package final class Subscription: Sendable {
    package let state: SubscriberState
    /// The state if shared and assigned purchases counted as the customer's own.
    package let stateCountingShared: SubscriberState
    /// A second state, in which an offer has to hold as well; `nil` for most.
    ///
    /// Apple's words contradict each other, or nobody said whether the subscription renews.
    package let alternative: SubscriberState?
    package let certainty: StateCertainty
    package let renewal: RenewalInfo
    /// The newest transaction that counts; `nil` when the evidence has none.
    package let transaction: Transaction?
    /// The clock at which its state was read.
    let clock: Timestamp
    /// Whether no entry speaks of it.
    let hasNoEntry: Bool
    /// Whether it may run under conditions that are not understood: nothing beside it is known to count more.
    let isInTheWay: Bool
    /// Whether all of it is held state that is too old to make anybody eligible.
    let isOverAge: Bool

    init(_ holding: Holdings.Holding, of history: SubscriptionHistory, at clock: Timestamp, now: Timestamp) {
        let newest = holding.newest.map { history.transactions[$0] }
        transaction = newest
        renewal =
            holding.entry.flatMap { history.renewals?[$0] }
            ?? .standIn(
                originalTransactionId: holding.id ?? "",
                productId: newest?.productId ?? "",
                subscriptionGroupIdentifier: holding.group
            )
        hasNoEntry = holding.entry == nil
        isOverAge = holding.id.flatMap { history.heldShares[$0]?.isOverAge } ?? false
        let reading = StateReading(
            of: newest,
            with: renewal,
            by: history.clocks(of: holding.id, at: clock, now: now)
        )
        self.clock = reading.clock
        stateCountingShared = reading.state
        alternative = reading.alternative ?? (hasNoEntry && reading.state == .active ? .activeAutoRenewOff : nil)
        var certainty = reading.certainty
        var isInTheWay = false
        switch newest?.ownership {
        case nil, .purchased: state = reading.state
        case .familyShared: state = .familyShared
        case .assigned: state = .assigned
        case .unknown(let name):
            state = reading.state
            certainty = .notUnderstood(.ownership(name))
            let hasEnded = reading.state == .lapsed || reading.state == .refunded
            isInTheWay = holding.hasPurchase || !hasEnded || reading.certainty != .known || reading.alternative != nil
        }
        if holding.bundle.map({ history.transactions[$0].runs(at: now) }) == true {
            certainty = .notUnderstood(.bundle)
            isInTheWay = true
        }
        self.certainty = certainty
        self.isInTheWay = isInTheWay
    }

    /// The identifier of its first purchase; `nil` where the evidence does not say.
    package var originalTransactionId: String? { transaction?.originalTransactionId ?? renewal.originalTransactionId }

    /// The product that the customer holds, or held last; `nil` where the evidence does not say.
    package var productId: String? { transaction?.productId ?? renewal.productId }

    /// Whether the customer has access by it, and not by somebody else's purchase.
    var isRunning: Bool { state.hasAccess }

    /// Whether its state may be this one, whoever paid for it.
    func isMaybe(_ state: SubscriberState) -> Bool { stateCountingShared == state || alternative == state }

    /// Whether it is not certain that the customer has no access by it.
    var mayRun: Bool {
        if case .notUnderstood(.ownership) = certainty { return isInTheWay }
        return certainty != .known || stateCountingShared.hasAccess || alternative?.hasAccess == true
    }

    /// The end of the customer's access, past or to come; `nil` where the evidence does not say.
    ///
    /// It is the end of the paid time, or of the grace period after it, or a refund before either.
    package var endsAt: Timestamp? {
        let expiry = transaction?.expiresDate
        let grace = renewal.gracePeriodExpiresDate
        var end = [expiry, grace].compactMap(\.self).max()
        if let status = renewal.status, status.code == .expired { end = end.map { min($0, status.asOf) } }
        guard let revocation = transaction?.revocationDate else { return end }
        return end.map { min($0, revocation) } ?? revocation
    }
}

extension Subscription: Equatable {
    package static func == (left: Subscription, right: Subscription) -> Bool { left === right }
}

/// Finds the subscription that counts among a customer's subscriptions in one place: the one with the strongest state.
struct StrongestSubscription {
    private(set) var status: GroupStatus
    /// The products of the other subscriptions that are running.
    private(set) var alsoRunning: [String] = []
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
        if weaker.isRunning, let productId = weaker.productId { alsoRunning.append(productId) }
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
        return leftId == rightId ? RenewalInfo?.precedes(left.renewal, right.renewal) : leftId < rightId
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

extension SubscriberState {
    /// Whether the customer has access by a purchase of one's own.
    var hasAccess: Bool {
        switch self {
        case .active, .activeAutoRenewOff, .gracePeriod: true
        case .billingRetry, .lapsed, .refunded, .assigned, .familyShared: false
        }
    }
}

/// The subscriptions in one place that gave a customer access and no longer do: the end of the last, and its product.
///
/// They need not be the subscription that counts. One that lapsed counts more than one that was refunded, so that a
/// refund takes nothing from a customer who has lapsed; but where an offer takes a refund for a lapse, access ended
/// with the later of the two.
struct EndedSubscriptions: Sendable {
    /// The lapsed subscription whose access ended last.
    private var lapsed: Subscription?
    /// The refunded subscription whose access ended last.
    private var refunded: Subscription?
    /// A lapsed one whose end nobody knows, and which may have been the last.
    private(set) var undated: Subscription?
    /// The owner: the customer's own put assigned ones aside, and these shared ones.
    private var owner = SubscriberState.familyShared

    mutating func consider(_ subscription: Subscription) {
        guard subscription.certainty == .known else { return }
        let owner: SubscriberState =
            switch subscription.state {
            case .familyShared, .assigned: subscription.state
            default: .lapsed
            }
        if self.owner < owner {
            self = EndedSubscriptions()
            self.owner = owner
        }
        guard self.owner == owner else { return }
        switch subscription.stateCountingShared {
        case .lapsed where subscription.endsAt == nil: undated = Self.later(undated, subscription)
        case .lapsed: lapsed = Self.later(lapsed, subscription)
        case .refunded: refunded = Self.later(refunded, subscription)
        default: break
        }
    }

    /// The subscription whose access ended last, of those with a known end.
    func last(countingRefunds: Bool) -> Subscription? {
        guard countingRefunds, let refunded else { return lapsed }
        guard let lapsed, let lapse = lapsed.endsAt, let refund = refunded.endsAt else { return refunded }
        return lapse < refund ? refunded : lapsed
    }

    private static func later(_ known: Subscription?, _ other: Subscription) -> Subscription {
        guard let known else { return other }
        return StrongestSubscription.isWeaker(known, other) ? other : known
    }
}

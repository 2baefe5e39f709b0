/// One subscription of a customer: its entry, the transaction that its state rests on, and the state.
///
/// A reference, as each rule looks at it.
public final class Subscription: Sendable {
    /// The customer's state by this subscription.
    public let state: SubscriberState
    /// The state if shared purchases counted as the customer's own; the same as ``state`` unless that is
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
        // Indices and a span avoid copies: copying a transaction takes longer than looking at it.
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

/// Finds the subscription that counts among a customer's subscriptions in one place: the one with the strongest state.
struct StrongestSubscription {
    /// The customer's status there.
    private(set) var status: GroupStatus
    /// The products of the other subscriptions that are running.
    private(set) var alsoRunning: [String] = []
    /// Those that ended, whichever of them counts.
    private(set) var ended = EndedSubscriptions()

    /// Starts with what is so unless a subscription is found.
    init(status: GroupStatus = .neverSubscribed) { self.status = status }

    /// Whether a subscription was found, or one of which nobody can say what became of it.
    var isSettled: Bool { status != .neverSubscribed }

    /// Takes another subscription into account.
    mutating func consider(_ renewal: RenewalInfo, newest: Transaction?, by clocks: SubscriptionClocks) {
        consider(Subscription(renewal: renewal, newest: newest, by: clocks))
    }

    private mutating func consider(_ subscription: Subscription) {
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
        let (leftKeys, rightKeys) = (tieBreaker(left.renewal), tieBreaker(right.renewal))
        guard leftKeys == rightKeys else { return leftKeys.lexicographicallyPrecedes(rightKeys) }
        return Transaction.precedes(left.renewal.signedDate, right.renewal.signedDate)
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

/// The subscriptions in one place by which a customer once had access and has it no more: when the last of them ended,
/// and with which product.
///
/// They need not be the subscription that counts. One that lapsed counts more than one that was refunded, so that a
/// refund takes nothing from a customer who has lapsed; but where an offer takes a refund for a lapse, access ended with
/// whichever of the two came last.
struct EndedSubscriptions: Sendable {
    /// The lapsed subscription whose access ended last.
    private var lapsed: Subscription?
    /// The refunded subscription whose access ended last.
    private var refunded: Subscription?
    /// One that lapsed nobody knows when, which may have been the last.
    private(set) var undated: Subscription?
    /// Whether all of them are shared: the customer's own put these aside.
    private var areShared = true

    /// Takes another subscription into account.
    mutating func consider(_ subscription: Subscription) {
        let isShared = subscription.state == .familyShared
        if areShared, !isShared {
            self = EndedSubscriptions()
            areShared = false
        }
        guard isShared == areShared else { return }
        switch subscription.stateCountingShared {
        case .lapsed where subscription.endsAt == nil: undated = Self.later(undated, subscription)
        case .lapsed: lapsed = Self.later(lapsed, subscription)
        case .refunded: refunded = Self.later(refunded, subscription)
        default: break
        }
    }

    /// The subscription whose access ended last, of those of which it is known when.
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

/// The subscriptions in one place by which a customer once had access and has it no more: when the last of them ended,
/// and with which product.
///
/// They need not be the subscription that counts. One that lapsed counts more than one that was refunded, so that a
/// refund takes nothing from who has lapsed; but where an offer takes a refund for a lapse, access ended with whichever
/// of the two came last.
struct EndedSubscriptions: Sendable {
    /// Of those that lapsed the one whose access ended last.
    private var lapsed: Subscription?
    /// Of those that were refunded the one whose access ended last.
    private var refunded: Subscription?
    /// One that lapsed nobody knows when, which may have been the last.
    private(set) var undated: Subscription?
    /// Whether all of them are shared: the customer's own put these aside.
    private var areShared = true

    /// Takes another subscription into account.
    ///
    /// - Parameter subscription: The subscription, in whatever state.
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
    ///
    /// - Parameter countingRefunds: Whether a refund is taken for a lapse.
    /// - Returns: The subscription; `nil` when there is none.
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

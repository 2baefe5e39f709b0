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
    /// The date of the answer that lists it, or of newer held state; `nil` where it is judged by the server's clock.
    let asOf: Timestamp?
    /// By catalog or evidence; `nil` where it cannot be determined.
    let group: String?
    /// The end of the paid time, with all periods that follow each other; `nil` where the evidence does not say.
    let paidUntil: Timestamp?
    /// Whether the running period is not known: the evidence has a renewal that has not begun, and not the one before it.
    let isRunningUnknown: Bool
    /// Whether no entry speaks of it.
    let hasNoEntry: Bool
    /// Whether there is any row, also one that an upgrade replaced.
    let hasRows: Bool
    /// Whether any row has an end.
    let hasEnd: Bool
    /// Whether it may run under conditions that are not understood: nothing beside it is known to count more.
    let isInTheWay: Bool
    /// Whether all of it is held state that is too old to make anybody eligible.
    let isOverAge: Bool
    /// When its renewal info was said; `nil` where there is none.
    let renewedAsOf: Timestamp?
    /// Whether the evidence of the request names it.
    let isEvident: Bool
    /// Whether its purchases name an account.
    let namesAccount: Bool
    /// The dates of what its state rests on, the older and the newer.
    let said: (first: Timestamp, last: Timestamp)?
    private let id: String?

    /// Takes the group by the catalog or the evidence; held state that was said before `oldest` is too old.
    ///
    /// A subscription of an answer is judged by the answer's date, or by that of newer held state; all others by the
    /// server's clock.
    ///
    /// `runs` says whether a bundle runs.
    init(
        _ chapter: Chapter,
        inGroup group: String?,
        listed date: Timestamp?,
        now: Timestamp,
        oldest: Timestamp?,
        runs: (SubscriptionBundle) -> Bool = { _ in false }
    ) {
        let renewed = chapter.renewal?.asOf
        let listed = date.map { max($0, renewed ?? $0) }
        let shown = chapter.asOf
        let periods = Periods(chapter, at: date.map { max($0, shown ?? $0) } ?? now, now: now)
        let boughtAsOf: Timestamp? = if let last = periods.last { chapter.transactions[last].asOf } else { nil }
        let clock = listed.map { max($0, boughtAsOf ?? $0) } ?? now
        transaction = if let current = periods.current { chapter.transactions[current].content } else { nil }
        let renewal = EffectiveRenewal(chapter, periods, at: clock, oldest: oldest)
        let words = SubscriptionWords(
            bought: transaction.map { ($0.revocation?.kind, $0.revocationDate, $0.billingPlan) },
            paidUntil: periods.paidUntil,
            boughtAsOf: boughtAsOf,
            renewal: renewal.entry,
            renewedAsOf: renewal.asOf,
            status: renewal.status,
            clock: clock,
            now: max(now, clock)
        )
        let reading = renewal.other.map { StateReading(words, or: $0) } ?? StateReading(words)
        asOf = date == nil ? nil : clock
        self.group = group
        id = chapter.id
        self.renewal = renewal.entry
        paidUntil = periods.paidUntil
        isRunningUnknown = periods.isRunningUnknown
        hasNoEntry = renewal.isMissing
        (hasRows, hasEnd) = (periods.hasRows, periods.hasEnd)
        renewedAsOf = renewal.asOf
        isEvident = chapter.isEvident
        isOverAge = chapter.isOverAge(since: oldest)
        namesAccount = chapter.namesAccount
        // The last period shows that those before it were not revoked.
        said = (boughtAsOf ?? renewal.asOf).map { date in
            (min(date, renewal.asOf ?? date), max(date, renewal.asOf ?? date))
        }
        self.clock = reading.clock
        stateCountingShared = reading.state
        let isUnsaid = hasNoEntry || renewal.isOpen || renewal.entry.willUnbundle
        let mayBeOff = isUnsaid && reading.state == .active
        alternative = reading.alternative ?? (mayBeOff ? .activeAutoRenewOff : nil)
        var certainty = periods.revokedAhead == nil ? reading.certainty : .onlyRevokedAhead
        var isInTheWay = false
        switch transaction?.ownership {
        case nil, .purchased: state = reading.state
        case .familyShared: state = .familyShared
        case .assigned: state = .assigned
        case .unknown(let name):
            state = reading.state
            certainty = .notUnderstood(.ownership(name))
            let hasEnded = reading.state == .lapsed || reading.state == .refunded
            isInTheWay = periods.hasPurchase || !hasEnded || reading.certainty != .known || reading.alternative != nil
        }
        if let bundle = periods.bundle, chapter.transactions[bundle].content.runs(at: now) {
            certainty = .notUnderstood(.bundle)
            isInTheWay = true
        }
        if let bundled = periods.bundled, reading.state == .lapsed,
            paidUntil.map({ $0 > now }) ?? false || chapter.transactions[bundled].content.bundle.map(runs) ?? false
        {
            certainty = .notUnderstood(.leftBundle)
            isInTheWay = true
        }
        self.certainty = certainty
        self.isInTheWay = isInTheWay
    }

    /// The identifier of its first purchase; `nil` where the evidence does not say.
    package var originalTransactionId: String? { id ?? renewal.originalTransactionId }

    /// Whether it counts as a subscription: rows without group and end are purchases that do not renew.
    var isSubscription: Bool { !hasNoEntry || transaction != nil && (group != nil || hasEnd) }

    /// The product that the customer holds, or held last; `nil` where the evidence does not say.
    package var productId: String? { transaction?.productId ?? renewal.productId }

    /// Whether the customer has access by it, and not by somebody else's purchase.
    var isRunning: Bool { state.hasAccess }

    /// Whether nothing that Apple said leaves open that the customer has access by its product.
    var isKnownToRun: Bool {
        isRunning && certainty == .known && alternative?.hasAccess ?? true && !isRunningUnknown
    }

    /// Whether its state may be this one, paid by any member of a family.
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
        var end = [paidUntil, renewal.gracePeriodExpiresDate].compactMap(\.self).max()
        if let status = renewal.status, status.code == .expired { end = end.map { min($0, status.asOf) } }
        guard let revocation = transaction?.revocationDate else { return end }
        return end.map { min($0, revocation) } ?? revocation
    }
}

/// A chapter's words on the renewal: an entry that decisions read.
private struct EffectiveRenewal {
    /// A stand-in where nothing is said with all periods in view.
    let entry: RenewalInfo
    /// When it was said; `nil` of a stand-in.
    private(set) var asOf: Timestamp?
    private(set) var status: SubscriptionStatus?
    /// What may have been said instead: an offer has to hold with either.
    private(set) var other: (entry: RenewalInfo, asOf: Timestamp?, status: SubscriptionStatus?)?
    /// Whether there is no entry of the subscription, and no transaction that stands for one.
    private(set) var isMissing = false
    /// Whether the only entry is of an earlier identifier, so that nobody says whether it renews.
    private(set) var isOpen = false

    init(_ chapter: Chapter, _ periods: Periods, at clock: Timestamp, oldest: Timestamp?) {
        var last: Transaction? { periods.current.map { chapter.transactions[$0].content } }
        var standIn: RenewalInfo {
            let last = last
            return RenewalInfo.standIn(
                originalTransactionId: chapter.id ?? "",
                productId: last?.productId,
                subscriptionGroupIdentifier: last?.subscriptionGroupIdentifier
            )
        }
        // A transaction of another type makes nobody a subscriber, whatever is said of its renewal.
        guard let said = chapter.renewal, periods.hasRows || chapter.transactions.isEmpty else {
            entry = standIn
            isMissing = !periods.hasRows
            return
        }
        let knowledge = chapter.knowledge(ofSaying: said.asOf, renewing: said.content?.renewalDate, at: clock)
        guard var renewal = said.content else {
            entry = standIn
            // A period since then is a new beginning; so is the unknown one that an upgrade began.
            let upgraded = chapter.transactions.contains { $0.content.isUpgraded && $0.asOf > said.asOf }
            isMissing = knowledge != .unknown && !upgraded
            return
        }
        let word = renewal.status.flatMap { status in
            let knowledge = chapter.knowledge(ofSaying: status.asOf, renewing: renewal.renewalDate, at: clock)
            return knowledge == .known ? status : nil
        }
        guard knowledge != .unknown else {
            entry = standIn
            status = word
            return
        }
        if renewal.productId == nil { renewal.productId = last?.productId }
        if renewal.subscriptionGroupIdentifier == nil {
            renewal.subscriptionGroupIdentifier = last?.subscriptionGroupIdentifier
        }
        guard !renewal.isStandIn else {
            entry = renewal
            status = word
            isOpen = word == nil
            return
        }
        // State that is held for too long can only refuse, beside a newer transaction of the evidence.
        if chapter.isRenewalOverAge(since: oldest) {
            var without = standIn
            without.offer = renewal.offer
            entry = without
            other = (renewal, said.asOf, word)
        } else {
            entry = renewal
            asOf = said.asOf
            status = word
            if knowledge == .maybe { other = (standIn, nil, nil) }
        }
    }
}

extension Subscription: Equatable {
    package static func == (left: Subscription, right: Subscription) -> Bool { left === right }
}

extension Subscription {
    /// Apple's end of the grace period, or of billing retry, which lasts 60 days (90 with a commitment); `nil` in other
    /// states.
    var failedRenewalEnd: Timestamp? {
        let unknown = Timestamp(millisecondsSince1970: .min)
        switch stateCountingShared {
        case .gracePeriod: return renewal.gracePeriodExpiresDate ?? unknown
        case .billingRetry:
            // A statement of the grace period says nothing of the time after it.
            if let grace = renewal.gracePeriodExpiresDate, let said, grace > said.last { return grace }
            let days = if case .monthly = transaction?.billingPlan { 90 } else { 60 }
            return paidUntil?.adding(days: days) ?? unknown
        default: return nil
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
    /// Lapsed ones whose end nobody knows, and each of which may have been the last.
    private(set) var undated: [Subscription] = []
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
        case .lapsed where subscription.endsAt == nil: undated.append(subscription)
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

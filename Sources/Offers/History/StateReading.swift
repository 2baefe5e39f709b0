/// The statements about a subscription, as its state is read: the periods that count, the renewal, and the clocks.
struct SubscriptionWords {
    /// The transaction that the state rests on, as far as the state needs it; `nil` where there is none.
    let bought: (revocation: Revocation.Kind?, revocationDate: Timestamp?, billingPlan: BillingPlan?)?
    /// The end of the paid time; `nil` where it is not said.
    let paidUntil: Timestamp?
    /// When the last paid period was said.
    let boughtAsOf: Timestamp?
    /// The renewal with all periods in view; a stand-in where nothing is.
    var renewal: RenewalInfo
    /// When it was said; `nil` of a stand-in.
    var renewedAsOf: Timestamp?
    /// Apple's word on the subscription, where it was said with all periods in view.
    var status: SubscriptionStatus?
    /// Apple's clock when it made the evidence, or the server's where the evidence does not tell the time.
    let clock: Timestamp
    /// The server's clock, but never before Apple's.
    let now: Timestamp
}

/// How well a state is known.
package enum StateCertainty: Equatable, Sendable {
    case known
    /// The subscription was to renew after this moment, when Apple last spoke of it: nobody here knows whether it did.
    ///
    /// The state is the one that Apple showed last.
    case wasToRenew(after: Timestamp)
    /// The evidence does not say when the paid time ends, or leaves out the transactions after an upgrade.
    case endNotSaid
    /// The evidence has nothing but a renewal that was revoked before it begins: the period before it is not known.
    case onlyRevokedAhead
    /// Apple said something of it that this version does not know.
    case notUnderstood(UnknownValue)
}

/// Something that Apple said of a subscription and this version does not know, so that nothing may follow from it.
package enum UnknownValue: Equatable, Sendable {
    /// Another `inAppOwnershipType`; `nil` where it was not said.
    case ownership(String?)
    /// Another `revocationType` or `revocationReason`.
    case revocation(String)
    case status
    /// A running transaction of another `type`, which names the subscription as its past.
    case bundle
    /// An end of a subscription that came with a bundle, while the bundle's or its own time runs.
    case leftBundle
}

/// The state of a subscription by Apple's word on it.
///
/// Nothing falls through to ``SubscriberState/lapsed``: a subscription has lapsed where Apple says so, where its paid
/// time was over when Apple spoke of it, or where it ended since and was not going to renew.
struct StateReading {
    let state: SubscriberState
    private(set) var certainty: StateCertainty
    let clock: Timestamp
    /// A state by another word of Apple's, which contradicts this one.
    private(set) var alternative: SubscriberState?

    private init(_ state: SubscriberState, _ certainty: StateCertainty = .known, at clock: Timestamp) {
        self.state = state
        self.certainty = certainty
        self.clock = clock
    }

    init(_ words: SubscriptionWords) {
        guard let newest = words.bought else {
            self = StateReading(ofEntry: words)
            return
        }
        let status = words.status.flatMap { status in
            newest.revocationDate.map { $0 > status.asOf } ?? false ? nil : status
        }
        if newest.revocationDate != nil {
            self.init(newest.revocation.revokedState, at: words.clock)
            // An expired subscription may be refunded, too.
            if let status, status.code != .revoked, status.code != .expired {
                alternative = StateReading(status, words).state
            }
        } else if let status {
            self = StateReading(status, words)
            if !state.hasAccess, let end = words.paidUntil, end > status.asOf {
                let byDates = StateReading(ofUnrevoked: words).state
                if byDates != state { alternative = byDates }
            }
        } else {
            self = StateReading(ofUnrevoked: words)
        }
        if case .unknown(let text) = newest.revocation, newest.revocationDate != nil {
            certainty = .notUnderstood(.revocation(text))
        } else if status?.code == .unknown {
            certainty = .notUnderstood(.status)
        }
    }

    /// For two statements on the renewal, of which either may count: an offer has to hold in both readings.
    init(_ words: SubscriptionWords, or other: (entry: RenewalInfo, asOf: Timestamp?, status: SubscriptionStatus?)) {
        self.init(words)
        var otherwise = words
        (otherwise.renewal, otherwise.renewedAsOf, otherwise.status) = other
        let other = StateReading(otherwise)
        if certainty == .known { certainty = other.certainty }
        if other.state != state, alternative == nil { alternative = other.state }
    }

    /// From a transaction that was not revoked, and its entry.
    private init(ofUnrevoked words: SubscriptionWords) {
        guard let paidUntil = words.paidUntil else {
            let failed = words.renewal.isStandIn ? nil : Self.failedRenewal(words)
            self = failed ?? StateReading(words.runningState, .endNotSaid, at: words.clock)
            return
        }
        if paidUntil > words.now {
            self.init(words.runningState, at: words.clock)
        } else {
            self.init(endedAt: paidUntil, words)
        }
    }

    /// For a subscription whose paid time is over by now.
    private init(endedAt end: Timestamp, _ words: SubscriptionWords) {
        let running = words.runningState
        // The clock at which the lapse is seen: of an answer that was made before the end, the server's.
        let seen = end > words.clock ? words.now : words.clock
        guard let renewed = words.renewedAsOf, renewed >= end else {
            // Nobody spoke of the renewal since the end.
            let endIsFinal = words.renewal.autoRenewStatus == false
            // A transaction alone that was signed after its end stands for both.
            let isSignedSince = words.renewedAsOf == nil && words.boughtAsOf.map { $0 >= end } ?? false
            if endIsFinal || isSignedSince {
                self.init(.lapsed, at: seen)
            } else {
                let last = words.renewedAsOf ?? words.boughtAsOf ?? words.clock
                self.init(running, .wasToRenew(after: last), at: words.clock)
            }
            return
        }
        if let failed = Self.failedRenewal(words) {
            self = failed
            return
        }
        let endIsFinal = words.renewal.autoRenewStatus == false || words.renewal.hasExpirationIntent
        if !endIsFinal, let bought = words.boughtAsOf, bought < end {
            // It went on, and the transaction that followed is not here.
            self.init(running, .wasToRenew(after: bought), at: words.clock)
        } else {
            self.init(.lapsed, at: seen)
        }
    }

    /// By an entry alone.
    private init(ofEntry words: SubscriptionWords) {
        if let failed = Self.failedRenewal(words) {
            self = failed
        } else if words.renewal.isStandIn {
            // There are upgraded transactions alone: those after them were left out.
            self.init(words.runningState, .endNotSaid, at: words.clock)
        } else if words.renewal.hasExpirationIntent {
            self.init(.lapsed, at: words.clock)
        } else {
            self.init(words.runningState, at: words.clock)
        }
    }

    /// From Apple's status; dates only show its possible end since then.
    private init(_ status: SubscriptionStatus, _ words: SubscriptionWords) {
        switch status.code {
        case .expired: self.init(.lapsed, at: words.clock)
        case .revoked, .unknown: self.init(.refunded, at: words.clock)
        case .billingRetry: self.init(.billingRetry, at: words.clock)
        case .gracePeriod:
            let end = words.renewal.gracePeriodExpiresDate.map { max($0, status.asOf) }
            let isOver = end.map { $0 <= words.now && $0 > status.asOf } ?? false
            self.init(.gracePeriod, isOver ? .wasToRenew(after: status.asOf) : .known, at: words.clock)
        case .active:
            let state = words.runningState
            let paid = words.paidUntil.map { max($0, status.asOf) } ?? status.asOf
            // Apple is renewing it where the paid time was over when it said so.
            let end = paid > status.asOf ? paid : paid.adding(seconds: Self.longestRenewalSeconds)
            if end > words.now {
                self.init(state, at: words.clock)
            } else if words.renewal.autoRenewStatus == false {
                self.init(.lapsed, at: words.now)
            } else {
                self.init(state, .wasToRenew(after: status.asOf), at: words.clock)
            }
        }
    }

    /// How long Apple's word that a subscription is active counts after its paid time: as long as an answer of Apple's
    /// may be used again.
    private static let longestRenewalSeconds: Int64 = 3600

    /// Grace period or billing retry, when the entry says so; nobody knows what came of a grace period that has ended since.
    private static func failedRenewal(_ words: SubscriptionWords) -> StateReading? {
        if let grace = words.renewal.gracePeriodExpiresDate {
            if grace > words.now { return StateReading(.gracePeriod, at: words.clock) }
            if words.renewal.autoRenewStatus != false, let spoke = words.renewedAsOf, grace > spoke {
                return StateReading(.gracePeriod, .wasToRenew(after: spoke), at: words.clock)
            }
        }
        return words.renewal.isInBillingRetryPeriod ? StateReading(.billingRetry, at: words.clock) : nil
    }
}

extension SubscriptionWords {
    /// The customer's state while the paid time runs.
    ///
    /// If a commitment is paid month by month, `autoRenewStatus` speaks of the next month, and the commitment's own status
    /// of the time after it.
    fileprivate var runningState: SubscriberState {
        if renewal.autoRenewStatus == false { return .activeAutoRenewOff }
        return renewal.commitmentAutoRenewStatus == false && bought?.billingPlan != .upfront
            ? .activeAutoRenewOff : .active
    }
}

extension Revocation.Kind? {
    fileprivate var revokedState: SubscriberState {
        switch self {
        case .family, .assignment: .lapsed
        case .full, .prorated, .unknown, nil: .refunded
        }
    }
}

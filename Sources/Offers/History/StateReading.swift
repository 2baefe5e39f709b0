/// The clocks by which the word on a subscription is judged.
struct SubscriptionClocks {
    /// Apple's clock when it made the evidence, or the server's where the evidence does not tell the time.
    let apples: Timestamp
    /// The server's clock, but never before Apple's.
    let now: Timestamp
    /// Whether each part is as old as its own signature: of signed transactions and held state.
    let isSignedByPart: Bool

    init(apples: Timestamp, now: Timestamp, isSignedByPart: Bool = false) {
        self.apples = apples
        self.now = max(now, apples)
        self.isSignedByPart = isSignedByPart
    }
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

    init(of newest: Transaction?, with renewal: RenewalInfo, by clocks: SubscriptionClocks) {
        guard let newest else {
            self = StateReading(of: renewal, by: clocks)
            return
        }
        let status = renewal.status.flatMap { newest.isRevokedOrBought(since: $0.asOf) ? nil : $0 }
        if newest.revocationDate != nil {
            self.init(newest.revokedState, at: clocks.apples)
            // An expired subscription may be refunded, too.
            if let status, status.code != .revoked, status.code != .expired {
                alternative = StateReading(status, of: newest, with: renewal, by: clocks).state
            }
        } else if let status {
            self = StateReading(status, of: newest, with: renewal, by: clocks)
            if !state.hasAccess, let end = newest.expiresDate, end > status.asOf {
                alternative = renewal.runningState(of: newest)
            }
        } else {
            self = StateReading(ofUnrevoked: newest, with: renewal, by: clocks)
        }
        if case .unknown(let text) = newest.revocation?.kind, newest.revocationDate != nil {
            certainty = .notUnderstood(.revocation(text))
        } else if status?.code == .unknown {
            certainty = .notUnderstood(.status)
        }
    }

    /// From a transaction that was not revoked, and its entry.
    private init(ofUnrevoked newest: Transaction, with renewal: RenewalInfo, by clocks: SubscriptionClocks) {
        guard let expiry = newest.expiresDate else {
            let failed = renewal.isStandIn ? nil : Self.failedRenewal(of: renewal, by: clocks)
            self = failed ?? StateReading(renewal.runningState(of: newest), .endNotSaid, at: clocks.apples)
            return
        }
        if expiry > clocks.now {
            self.init(renewal.runningState(of: newest), at: clocks.apples)
            return
        }
        self.init(endedAt: expiry, newest, with: renewal, by: clocks)
    }

    /// For a subscription whose paid time is over by now.
    private init(
        endedAt expiry: Timestamp,
        _ newest: Transaction,
        with renewal: RenewalInfo,
        by clocks: SubscriptionClocks
    ) {
        let bought = clocks.isSignedByPart ? newest.signedDate : clocks.apples
        let renewed = renewal.isStandIn ? nil : clocks.isSignedByPart ? renewal.signedDate : clocks.apples
        let running = renewal.runningState(of: newest)
        // The clock at which the lapse is seen: of an answer that was made before the end, the server's.
        let seen = expiry > clocks.apples ? clocks.now : clocks.apples
        guard let renewed, renewed >= expiry else {
            // Nobody spoke of the renewal since the end.
            let endIsFinal = renewal.autoRenewStatus == false
            // A transaction alone that was signed after its end stands for both.
            let isSignedSince = renewed == nil && bought.map { $0 >= expiry } ?? false
            if endIsFinal || isSignedSince {
                self.init(.lapsed, at: seen)
            } else {
                self.init(running, .wasToRenew(after: renewed ?? bought ?? clocks.apples), at: clocks.apples)
            }
            return
        }
        if let failed = Self.failedRenewal(of: renewal, by: clocks) {
            self = failed
            return
        }
        let endIsFinal = renewal.autoRenewStatus == false || renewal.hasExpirationIntent
        if !endIsFinal, let grace = renewal.gracePeriodExpiresDate, grace > renewed {
            self.init(.gracePeriod, .wasToRenew(after: renewed), at: clocks.apples)
        } else if !endIsFinal, let bought, bought < expiry {
            // It went on, and the transaction that followed is not here.
            self.init(running, .wasToRenew(after: bought), at: clocks.apples)
        } else {
            self.init(.lapsed, at: seen)
        }
    }

    /// By an entry alone.
    private init(of renewal: RenewalInfo, by clocks: SubscriptionClocks) {
        if let failed = Self.failedRenewal(of: renewal, by: clocks) {
            self = failed
        } else if renewal.isStandIn {
            // There are upgraded transactions alone: those after them were left out.
            self.init(renewal.runningState(of: nil), .endNotSaid, at: clocks.apples)
        } else if renewal.hasExpirationIntent {
            self.init(.lapsed, at: clocks.apples)
        } else {
            self.init(renewal.runningState(of: nil), at: clocks.apples)
        }
    }

    /// From Apple's status; dates only show its possible end since then.
    private init(
        _ status: SubscriptionStatus,
        of newest: Transaction,
        with renewal: RenewalInfo,
        by clocks: SubscriptionClocks
    ) {
        switch status.code {
        case .expired: self.init(.lapsed, at: clocks.apples)
        case .revoked, .unknown: self.init(.refunded, at: clocks.apples)
        case .billingRetry: self.init(.billingRetry, at: clocks.apples)
        case .gracePeriod:
            let end = renewal.gracePeriodExpiresDate.map { max($0, status.asOf) }
            let isOver = end.map { $0 <= clocks.now && $0 > status.asOf } ?? false
            self.init(.gracePeriod, isOver ? .wasToRenew(after: status.asOf) : .known, at: clocks.apples)
        case .active:
            let state = renewal.runningState(of: newest)
            let paid = newest.expiresDate.map { max($0, status.asOf) } ?? status.asOf
            // Apple is renewing it where the paid time was over when it said so.
            let end = paid > status.asOf ? paid : paid.adding(seconds: Self.longestRenewalSeconds)
            if end > clocks.now {
                self.init(state, at: clocks.apples)
            } else if renewal.autoRenewStatus == false {
                self.init(.lapsed, at: clocks.now)
            } else {
                self.init(state, .wasToRenew(after: status.asOf), at: clocks.apples)
            }
        }
    }

    /// How long Apple's word that a subscription is active counts after its paid time: as long as an answer of Apple's
    /// may be used again.
    private static let longestRenewalSeconds: Int64 = 3600

    /// Grace period or billing retry, when the entry says so; grace counts only until it ends.
    private static func failedRenewal(of renewal: RenewalInfo, by clocks: SubscriptionClocks) -> StateReading? {
        if let grace = renewal.gracePeriodExpiresDate, grace > clocks.now {
            return StateReading(.gracePeriod, at: clocks.apples)
        }
        return renewal.isInBillingRetryPeriod ? StateReading(.billingRetry, at: clocks.apples) : nil
    }
}

extension RenewalInfo {
    /// The customer's state while the paid time runs.
    ///
    /// If a commitment is paid month by month, ``autoRenewStatus`` speaks of the next month, and the commitment's own
    /// status of the time after it.
    fileprivate func runningState(of transaction: Transaction?) -> SubscriberState {
        if autoRenewStatus == false { return .activeAutoRenewOff }
        return transaction?.billingPlan != .upfront && commitmentAutoRenewStatus == false
            ? .activeAutoRenewOff : .active
    }
}

extension Transaction {
    fileprivate var revokedState: SubscriberState {
        switch revocation?.kind {
        case .family, .assignment: .lapsed
        case .full, .prorated, .unknown, nil: .refunded
        }
    }

    /// Whether it was revoked or bought after a moment, so that a word of that moment does not know of it.
    fileprivate func isRevokedOrBought(since moment: Timestamp) -> Bool {
        revocationDate.map { $0 > moment } ?? false || purchaseDate.map { $0 > moment } ?? false
    }
}

import Offers

/// A customer's subscription in one group: everything under one original transaction id.
struct StoreSubscription: Equatable, Sendable {
    /// Where the subscription stands.
    enum Phase: Equatable, Sendable {
        /// Paid for.
        case current
        /// The payment failed; the customer keeps access until then.
        case gracePeriod(until: Timestamp)
        /// The payment failed; the App Store tries until then.
        case billingRetry(until: Timestamp)
        /// Ended, with Apple's number for the reason (`expirationIntent`).
        case expired(intent: Int64)
        /// The latest payment was refunded, or is no longer shared by the family.
        case revoked
    }

    /// The newest transaction.
    var latest: StoreTransaction
    /// All transactions before it, oldest first.
    var earlier: [StoreTransaction]
    /// Where it stands.
    var phase: Phase
    /// The product that the customer has chosen for the next renewal, which is that of the commitment if there is one.
    var autoRenewProductId: String
    /// The billing plan that the customer has chosen for the next renewal.
    var autoRenewPlan: BillingPlanType
    /// Whether the customer lets it renew: for a commitment, after its last payment.
    var willAutoRenew: Bool
    /// Whether payments fail.
    var paymentFails: Bool
    /// An offer with payments to come.
    var offerInUse: OfferInUse?
    /// The win-back offers that the customer may have once the subscription has expired, the best first.
    var eligibleWinBackOfferIds: [String] = []

    /// The identifier that it is known by.
    var originalTransactionId: String { latest.originalTransactionId }

    /// All transactions, oldest first.
    var transactions: [StoreTransaction] { earlier + [latest] }

    /// `status` of the Server API: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    var status: Int64 {
        switch phase {
        case .current: 1
        case .expired: 2
        case .billingRetry: 3
        case .gracePeriod: 4
        case .revoked: 5
        }
    }

    /// Whether payments of a commitment are still to come, which the customer makes even after cancelling it.
    var isCommitted: Bool {
        guard let commitment = latest.commitment, status != 2, status != 5 else { return false }
        return !commitment.isLast
    }

    /// Whether the next payment is to come (`autoRenewStatus`).
    var renewsNextPeriod: Bool { willAutoRenew || isCommitted }

    /// The product that the next payment is for: a commitment runs to its end before another one begins.
    var nextProductId: String { isCommitted ? latest.productId : autoRenewProductId }

    /// The billing plan of the next payment.
    var nextPlan: BillingPlanType { isCommitted ? .monthly : autoRenewPlan }

    /// The offer that the next payment is at.
    var nextOffer: StoreOffer? {
        let isForLater = nextProductId != autoRenewProductId || nextPlan != autoRenewPlan
        return isForLater ? nil : offerInUse?.offer
    }

    /// For how many days the App Store tries a failed payment again.
    var billingRetryDays: Int64 { latest.commitment == nil ? 60 : 90 }

    /// For how many days the customer keeps access after a failed payment: with a commitment there is no grace period.
    func gracePeriodDays(in app: StoreApp) -> Int { latest.commitment == nil ? app.gracePeriodDays : 0 }

    /// `expirationIntent`: why it does not go on; 2 is a failed payment.
    var expirationIntent: Int64? {
        switch phase {
        case .expired(let intent): intent
        case .gracePeriod, .billingRetry: 2
        case .current, .revoked: nil
        }
    }

    /// Whether the App Store tries a failed payment again.
    var isInBillingRetryPeriod: Bool { status == 3 || status == 4 }

    /// When the grace period ends, while there is one.
    var gracePeriodExpires: Timestamp? {
        if case .gracePeriod(let end) = phase { end } else { nil }
    }

    /// When time changes it next; `nil` when it has ended.
    var nextChange: Timestamp? {
        switch phase {
        case .current: latest.expiresDate
        case .gracePeriod(let until), .billingRetry(let until): until
        case .expired, .revoked: nil
        }
    }

    /// Whether the customer has access.
    var hasAccess: Bool { status == 1 || status == 4 }
}

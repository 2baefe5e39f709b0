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
        /// The latest payment was refunded.
        case revoked
    }

    /// How long the App Store tries a failed payment again: 60 days.
    static let billingRetryDays: Int64 = 60

    /// The newest transaction.
    var latest: StoreTransaction
    /// All transactions before it, oldest first.
    var earlier: [StoreTransaction]
    /// Where it stands.
    var phase: Phase
    /// The product that the next payment is for.
    var autoRenewProductId: String
    /// Whether the customer lets it renew.
    var willAutoRenew: Bool
    /// Whether payments fail.
    var paymentFails: Bool
    /// An offer with payments to come.
    var offerInUse: OfferInUse?

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

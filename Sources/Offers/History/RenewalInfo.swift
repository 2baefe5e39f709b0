/// The renewal of a subscription: an entry of `pending_renewal_info`, or StoreKit 2's renewal info.
package struct RenewalInfo: Equatable, Sendable {
    /// The subscription: the identifier of its first purchase.
    ///
    /// Old answers may lack it.
    package var originalTransactionId: String?
    /// The product that the customer holds, or held last.
    package var productId: String?
    /// The subscription's group, where the evidence says it.
    ///
    /// Apple's answers leave it out as a rule.
    package var subscriptionGroupIdentifier: String?
    /// Whether the subscription renews; `nil` where the evidence does not say.
    package var autoRenewStatus: Bool?
    /// Whether the subscription ended, for whatever `expiration_intent`.
    package var hasExpirationIntent: Bool
    /// Whether Apple is retrying a failed renewal.
    package var isInBillingRetryPeriod: Bool
    /// When the Billing Grace Period ends or ended.
    package var gracePeriodExpiresDate: Timestamp?
    /// The offer that the next renewal falls under.
    package var offer: RedeemedOffer?
    /// Whether a commitment of several billing periods renews when it is over (`commitmentAutoRenewStatus`); `nil` where
    /// there is none.
    ///
    /// ``autoRenewStatus`` speaks of the next billing period alone: a customer who has cancelled goes on paying.
    package var commitmentAutoRenewStatus: Bool?
    /// The win-back offers that the customer may have, in Apple's order, the best first (`eligibleWinBackOfferIds`).
    package var eligibleWinBackOfferIds: [String] = []
    /// What Apple itself says that the subscription is; `nil` where the evidence does not say.
    package var status: SubscriptionStatus?
    /// When Apple signed it; `nil` for what is not signed by itself.
    package var signedDate: Timestamp?
    /// Whether nobody said any of it: a transaction alone stands for both, as far as it counts.
    package var isStandIn = false

    /// Creates an entry; what is left out is what most entries do not have.
    ///
    /// - Parameters:
    ///   - originalTransactionId: The identifier of the subscription's first purchase.
    ///   - productId: The product that the customer holds, or held last.
    ///   - subscriptionGroupIdentifier: The subscription's group, where the evidence says it.
    ///   - autoRenewStatus: Whether the subscription renews.
    ///   - hasExpirationIntent: Whether the subscription ended.
    ///   - isInBillingRetryPeriod: Whether Apple is retrying a failed renewal.
    ///   - gracePeriodExpiresDate: When the Billing Grace Period ends or ended.
    ///   - offer: The offer that the next renewal falls under.
    ///   - commitmentAutoRenewStatus: Whether a commitment renews when it is over.
    ///   - signedDate: When Apple signed it.
    package init(
        originalTransactionId: String?,
        productId: String?,
        subscriptionGroupIdentifier: String? = nil,
        autoRenewStatus: Bool? = nil,
        hasExpirationIntent: Bool = false,
        isInBillingRetryPeriod: Bool = false,
        gracePeriodExpiresDate: Timestamp? = nil,
        offer: RedeemedOffer? = nil,
        commitmentAutoRenewStatus: Bool? = nil,
        signedDate: Timestamp? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.autoRenewStatus = autoRenewStatus
        self.hasExpirationIntent = hasExpirationIntent
        self.isInBillingRetryPeriod = isInBillingRetryPeriod
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.offer = offer
        self.commitmentAutoRenewStatus = commitmentAutoRenewStatus
        self.signedDate = signedDate
    }

    /// What stands for the renewal info of a subscription of which there are transactions alone.
    ///
    /// - Parameters:
    ///   - originalTransactionId: The identifier of the subscription's first purchase.
    ///   - productId: The product that was bought.
    ///   - subscriptionGroupIdentifier: The subscription's group, where the transaction says it.
    /// - Returns: An entry that says nothing but that the subscription exists.
    package static func standIn(
        originalTransactionId: String,
        productId: String,
        subscriptionGroupIdentifier: String?
    ) -> RenewalInfo {
        var entry = RenewalInfo(
            originalTransactionId: originalTransactionId,
            productId: productId,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier
        )
        entry.isStandIn = true
        return entry
    }
}

/// What Apple says that a subscription is (`status` of the App Store Server API and of notifications).
package struct SubscriptionStatus: Equatable, Sendable {
    /// The five that there are.
    package enum Code: Int64, Sendable {
        /// The customer has access, and pays.
        case active = 1
        /// The subscription has ended.
        case expired = 2
        /// A renewal failed, and Apple retries.
        case billingRetry = 3
        /// A renewal failed, and the customer keeps access for a while.
        case gracePeriod = 4
        /// The App Store refunded the subscription, or revoked access by Family Sharing.
        case revoked = 5
        /// Another number than Apple's five.
        case unknown = 0
    }

    /// The status code.
    package let code: Code
    /// When Apple said so.
    package let asOf: Timestamp

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - code: What the subscription is.
    ///   - asOf: When Apple said so.
    package init(_ code: Code, asOf: Timestamp) {
        self.code = code
        self.asOf = asOf
    }
}

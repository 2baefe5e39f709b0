/// The renewal of a subscription: an entry of `pending_renewal_info`, or StoreKit 2's renewal info.
package struct RenewalInfo: Equatable, Sendable {
    /// The identifier of the first purchase; old answers may lack it.
    package var originalTransactionId: String?
    /// The product that the customer holds, or held last.
    package var productId: String?
    /// Apple's answers leave it out as a rule.
    package var subscriptionGroupIdentifier: String?
    /// `nil` where the evidence does not say.
    package var autoRenewStatus: Bool?
    /// Whether the subscription ended, for whatever `expiration_intent`.
    package var hasExpirationIntent = false
    /// Why; `nil` where the evidence does not say, or for a reason that is not known.
    package var lapseReason: LapseReason?
    package var priceIncrease = PriceIncrease.notDue
    /// Whether it leaves the bundle that it came with when the paid time ends.
    package var willUnbundle = false
    /// Whether Apple is retrying a failed renewal.
    package var isInBillingRetryPeriod = false
    /// The end of the Billing Grace Period, past or to come.
    package var gracePeriodExpiresDate: Timestamp?
    /// The offer that the next renewal falls under.
    package var offer: RedeemedOffer?
    /// The product of a promotional offer there, where it is another than the customer holds.
    package var offerProductId: String?
    /// Whether a commitment of several billing periods renews when it is over; `nil` where there is none.
    ///
    /// ``autoRenewStatus`` speaks of the next billing period alone: a customer who has cancelled goes on paying.
    package var commitmentAutoRenewStatus: Bool?
    /// In Apple's order, the best first.
    package var eligibleWinBackOfferIds: [String] = []
    /// Apple's own word on the subscription; `nil` where the evidence does not say.
    package var status: SubscriptionStatus?
    /// When the newest purchase that it speaks of expires; `nil` where the evidence does not say, as verifyReceipt never
    /// does.
    package var renewalDate: Timestamp?
    /// Whether nobody said any of it: a transaction alone stands for both, as far as it counts.
    package var isStandIn = false

    /// One of which nothing has been read yet.
    package static let unread = RenewalInfo()

    /// An entry that says nothing but that the subscription exists: for one of which there are transactions alone.
    package static func standIn(
        originalTransactionId: String,
        productId: String? = nil,
        subscriptionGroupIdentifier: String? = nil
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

/// Apple's word on a subscription (`status` of the App Store Server API and of notifications).
package struct SubscriptionStatus: Equatable, Sendable {
    package enum Code: Int64, Sendable {
        case active = 1
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

    package let code: Code
    /// When Apple said so.
    package let asOf: Timestamp

    package init(_ code: Code, asOf: Timestamp) {
        self.code = code
        self.asOf = asOf
    }
}

/// What comes next for a subscription: an entry of `pending_renewal_info`, or StoreKit 2's renewal info.
public struct RenewalInfo: Equatable, Sendable {
    /// The subscription: the identifier of its first purchase.
    ///
    /// Old answers may lack it.
    public var originalTransactionId: String?
    /// The product that the customer holds, or held last.
    public var productId: String?
    /// The subscription's group, where the evidence says it.
    ///
    /// Apple's answers leave it out as a rule.
    public var subscriptionGroupIdentifier: String?
    /// Whether the subscription renews; `nil` where the evidence does not say.
    public var autoRenewStatus: Bool?
    /// Whether the subscription ended, for whatever `expiration_intent`.
    public var hasExpirationIntent: Bool
    /// Whether Apple is retrying a failed renewal.
    public var isInBillingRetryPeriod: Bool
    /// When the Billing Grace Period ends or ended.
    public var gracePeriodExpiresDate: Timestamp?
    /// The promotional offer that the next renewal falls under.
    public var promotionalOfferId: String?
    /// When Apple signed it; `nil` for what is not signed by itself.
    public var signedDate: Timestamp?
    /// Whether nobody said any of it: a transaction alone stands for both, as far as it counts.
    public var isStandIn = false

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
    ///   - promotionalOfferId: The promotional offer that the next renewal falls under.
    ///   - signedDate: When Apple signed it.
    public init(
        originalTransactionId: String?,
        productId: String?,
        subscriptionGroupIdentifier: String? = nil,
        autoRenewStatus: Bool? = nil,
        hasExpirationIntent: Bool = false,
        isInBillingRetryPeriod: Bool = false,
        gracePeriodExpiresDate: Timestamp? = nil,
        promotionalOfferId: String? = nil,
        signedDate: Timestamp? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.autoRenewStatus = autoRenewStatus
        self.hasExpirationIntent = hasExpirationIntent
        self.isInBillingRetryPeriod = isInBillingRetryPeriod
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.promotionalOfferId = promotionalOfferId
        self.signedDate = signedDate
    }

    /// What stands for the renewal info of a subscription of which there are transactions alone.
    ///
    /// - Parameters:
    ///   - originalTransactionId: The identifier of the subscription's first purchase.
    ///   - productId: The product that was bought.
    ///   - subscriptionGroupIdentifier: The subscription's group, where the transaction says it.
    /// - Returns: An entry that says nothing but that the subscription exists.
    public static func standIn(
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

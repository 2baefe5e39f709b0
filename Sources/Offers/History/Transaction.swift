/// A purchase or renewal, as far as a decision needs it.
///
/// Names are the App Store Server API's (`JWSTransactionDecodedPayload`).
public struct Transaction: Equatable, Sendable {
    /// The subscription that the transaction belongs to: the identifier of its first purchase.
    public var originalTransactionId: String
    /// The product that was bought.
    public var productId: String
    /// The product's group, where the evidence says it.
    public var subscriptionGroupIdentifier: String?
    /// When it was bought or renewed.
    public var purchaseDate: Timestamp?
    /// When the paid time ends; `nil` for what does not expire, and where the evidence does not say.
    public var expiresDate: Timestamp?
    /// When Apple refunded or revoked it.
    public var revocationDate: Timestamp?
    /// What the revocation was; `nil` where the evidence does not say, as before December 2025: then it is a refund.
    public var revocation: Revocation?
    /// Whether an upgrade replaced it.
    ///
    /// An upgrade is no refund.
    public var isUpgraded: Bool
    /// Whether the customer has it by Family Sharing (`inAppOwnershipType` FAMILY_SHARED).
    public var isFamilyShared: Bool
    /// The account that the app set on the purchase.
    public var appAccountToken: AppAccountToken?
    /// The offer it was made under.
    public var offer: RedeemedOffer?
    /// Whether the evidence says that there was no offer, where it names none: an old receipt's row may leave out whether
    /// it was a trial.
    public var isOfferSaid = true
    /// The transaction's own identifier, by which a person finds it; `nil` where the evidence does not say.
    public var transactionId: String?
    /// When Apple signed it; `nil` for what is not signed by itself.
    public var signedDate: Timestamp?
    /// What was paid; `nil` where the evidence does not say, as verifyReceipt never does.
    public var price: PaidPrice?
    /// The App Store's country, as Apple writes it (ISO 3166-1 alpha-3); `nil` where the evidence does not say.
    public var storefront: String?
    /// Why there is a transaction; `nil` where the evidence does not say, as verifyReceipt never does.
    public var reason: TransactionReason?
    /// How the customer pays for it; `nil` where the evidence does not say, or names a plan that is not known.
    public var billingPlan: BillingPlan?

    /// Creates a transaction; what is left out is what most transactions do not have.
    ///
    /// - Parameters:
    ///   - originalTransactionId: The identifier of the subscription's first purchase.
    ///   - productId: The product that was bought.
    ///   - subscriptionGroupIdentifier: The product's group, where the evidence says it.
    ///   - purchaseDate: When it was bought or renewed.
    ///   - expiresDate: When the paid time ends.
    ///   - revocationDate: When Apple refunded or revoked it.
    ///   - revocation: What the revocation was.
    ///   - isUpgraded: Whether an upgrade replaced it.
    ///   - isFamilyShared: Whether the customer has it by Family Sharing.
    ///   - appAccountToken: The account that the app set on the purchase.
    ///   - offer: The offer it was made under.
    ///   - transactionId: The transaction's own identifier.
    ///   - signedDate: When Apple signed it.
    ///   - price: What was paid.
    ///   - storefront: The App Store's country.
    ///   - reason: Why there is a transaction.
    ///   - billingPlan: How the customer pays for it.
    public init(
        originalTransactionId: String,
        productId: String,
        subscriptionGroupIdentifier: String? = nil,
        purchaseDate: Timestamp? = nil,
        expiresDate: Timestamp? = nil,
        revocationDate: Timestamp? = nil,
        revocation: Revocation? = nil,
        isUpgraded: Bool = false,
        isFamilyShared: Bool = false,
        appAccountToken: AppAccountToken? = nil,
        offer: RedeemedOffer? = nil,
        transactionId: String? = nil,
        signedDate: Timestamp? = nil,
        price: PaidPrice? = nil,
        storefront: String? = nil,
        reason: TransactionReason? = nil,
        billingPlan: BillingPlan? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.revocation = revocation
        self.isUpgraded = isUpgraded
        self.isFamilyShared = isFamilyShared
        self.appAccountToken = appAccountToken
        self.offer = offer
        self.transactionId = transactionId
        self.signedDate = signedDate
        self.price = price
        self.storefront = storefront
        self.reason = reason
        self.billingPlan = billingPlan
    }

    /// Whether the left one was bought before the right one.
    ///
    /// Expiry decides ties and stands in for a missing purchase date. Of two that are equal in both, the refunded one
    /// counts as the newer, and then the identifiers decide: Apple's lists come in no order that counts.
    ///
    /// - Parameters:
    ///   - left: A transaction.
    ///   - right: Another.
    /// - Returns: `true` when the left one is the older.
    public static func isOlder(_ left: Transaction, _ right: Transaction) -> Bool {
        let leftDate = left.purchaseDate ?? left.expiresDate
        let rightDate = right.purchaseDate ?? right.expiresDate
        guard leftDate == rightDate else { return precedes(leftDate, rightDate) }
        guard left.expiresDate == right.expiresDate else { return precedes(left.expiresDate, right.expiresDate) }
        guard left.revocationDate == right.revocationDate else {
            return precedes(left.revocationDate, right.revocationDate)
        }
        for text in tieBreakers where text(left) != text(right) { return text(left) < text(right) }
        return false
    }

    /// By what two are told apart that are equal in all dates, one after the other.
    private static let tieBreakers: [@Sendable (Transaction) -> String] = [
        { $0.transactionId ?? "" }, { $0.originalTransactionId }, { $0.productId }, { $0.offerText },
        { $0.isUpgraded ? "1" : "0" }, { $0.subscriptionGroupIdentifier ?? "" },
    ]

    private var offerText: String { offer.map { "\($0.type)\($0.identifier)" } ?? "" }

    private static func precedes(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
        switch (left, right) {
        case (let left?, let right?): left < right
        case (nil, _?): true
        default: false
        }
    }
}

/// What a revocation was (`revocationType` and `revocationPercentage`, App Store Server API 1.19).
public struct Revocation: Equatable, Sendable {
    /// Whether money went back, and how much.
    public enum Kind: String, Sendable {
        /// All of the price was refunded.
        case full = "REFUND_FULL"
        /// A part of the price was refunded.
        case prorated = "REFUND_PRORATED"
        /// Family Sharing ended: the purchaser stopped it, or left the family. Nobody was refunded.
        case family = "FAMILY_REVOKE"
    }

    /// Whether money went back.
    public let kind: Kind
    /// How much of the price went back, in thousandths of a percent; `nil` where Apple does not say.
    public let percentage: Int64?

    /// Creates a revocation.
    ///
    /// - Parameters:
    ///   - kind: Whether money went back.
    ///   - percentage: How much of the price went back, in thousandths of a percent.
    public init(_ kind: Kind, percentage: Int64? = nil) {
        self.kind = kind
        self.percentage = percentage
    }
}

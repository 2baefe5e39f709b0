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
    /// When the paid time ends; `nil` for what does not expire.
    public var expiresDate: Timestamp?
    /// When Apple refunded or revoked it.
    public var revocationDate: Timestamp?
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

    /// Creates a transaction; what is left out is what most transactions do not have.
    ///
    /// - Parameters:
    ///   - originalTransactionId: The identifier of the subscription's first purchase.
    ///   - productId: The product that was bought.
    ///   - subscriptionGroupIdentifier: The product's group, where the evidence says it.
    ///   - purchaseDate: When it was bought or renewed.
    ///   - expiresDate: When the paid time ends.
    ///   - revocationDate: When Apple refunded or revoked it.
    ///   - isUpgraded: Whether an upgrade replaced it.
    ///   - isFamilyShared: Whether the customer has it by Family Sharing.
    ///   - appAccountToken: The account that the app set on the purchase.
    ///   - offer: The offer it was made under.
    ///   - transactionId: The transaction's own identifier.
    ///   - signedDate: When Apple signed it.
    ///   - price: What was paid.
    ///   - storefront: The App Store's country.
    ///   - reason: Why there is a transaction.
    public init(
        originalTransactionId: String,
        productId: String,
        subscriptionGroupIdentifier: String? = nil,
        purchaseDate: Timestamp? = nil,
        expiresDate: Timestamp? = nil,
        revocationDate: Timestamp? = nil,
        isUpgraded: Bool = false,
        isFamilyShared: Bool = false,
        appAccountToken: AppAccountToken? = nil,
        offer: RedeemedOffer? = nil,
        transactionId: String? = nil,
        signedDate: Timestamp? = nil,
        price: PaidPrice? = nil,
        storefront: String? = nil,
        reason: TransactionReason? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.isUpgraded = isUpgraded
        self.isFamilyShared = isFamilyShared
        self.appAccountToken = appAccountToken
        self.offer = offer
        self.transactionId = transactionId
        self.signedDate = signedDate
        self.price = price
        self.storefront = storefront
        self.reason = reason
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

    private var offerText: String {
        switch offer {
        case nil: ""
        case .introductory: "1"
        case .promotional(let id): "2\(id)"
        case .offerCode(let name): "3\(name)"
        case .winBack(let id): "4\(id)"
        }
    }

    private static func precedes(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
        switch (left, right) {
        case (let left?, let right?): left < right
        case (nil, _?): true
        default: false
        }
    }
}

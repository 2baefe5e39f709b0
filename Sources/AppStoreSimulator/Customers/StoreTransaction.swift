import Offers

/// A payment for one period of a subscription.
struct StoreTransaction: Equatable, Sendable {
    /// Why there is a transaction (`transactionReason`).
    enum Reason: String, Sendable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    /// A refund (`revocationDate` and `revocationReason`).
    struct Revocation: Equatable, Sendable {
        /// When it was refunded.
        let date: Timestamp
        /// 1 for a problem with the app, 0 for any other.
        let reason: Int64
    }

    /// The transaction's identifier.
    let transactionId: String
    /// The identifier of the subscription's first transaction.
    let originalTransactionId: String
    /// The product.
    let productId: String
    /// The product's subscription group.
    let groupId: String
    /// When the period began.
    let purchaseDate: Timestamp
    /// When the subscription began.
    let originalPurchaseDate: Timestamp
    /// When the period ends.
    let expiresDate: Timestamp
    /// The offer that it was paid at.
    let offer: StoreOffer?
    /// What was paid, in thousandths of the currency's unit.
    let price: Int64
    /// Why there is a transaction.
    let reason: Reason
    /// The account that the app set on the payment, a UUID in lowercase.
    let appAccountToken: String?
    /// Whether a family member paid.
    let isFamilyShared: Bool
    /// Whether the customer moved to a higher level before the end.
    var isUpgraded = false
    /// The refund.
    var revocation: Revocation?

    /// `inAppOwnershipType`.
    var ownership: String { isFamilyShared ? "FAMILY_SHARED" : "PURCHASED" }

    /// The identifier of the purchase across devices: made from the transaction's, as it only has to be unique.
    var webOrderLineItemId: String { "9" + transactionId.dropFirst() }
}

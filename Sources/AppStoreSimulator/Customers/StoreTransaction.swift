import Offers

/// A payment for one period of a subscription.
struct StoreTransaction: Equatable, Sendable {
    /// Why there is a transaction (`transactionReason`).
    enum Reason: String, Sendable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    /// A refund, or the end of a share in the family's purchase.
    struct Revocation: Equatable, Sendable {
        /// `revocationType`.
        enum Kind: Equatable, Sendable {
            /// A refund, in thousandths of a percent: 100000 is all of it.
            case refund(percentage: Int64)
            /// The family member who pays has stopped sharing: nobody was refunded.
            case familyRevoke
        }

        /// All of a payment, as `revocationPercentage` has it.
        static let wholePercentage: Int64 = 100_000

        /// When it was revoked (`revocationDate`).
        let date: Timestamp
        /// Whether money went back.
        let kind: Kind
        /// 1 for a problem with the app, 0 for any other (`revocationReason`).
        let reason: Int64 = 0

        /// `revocationType`.
        var type: String {
            switch kind {
            case .refund(Self.wholePercentage): "REFUND_FULL"
            case .refund: "REFUND_PRORATED"
            case .familyRevoke: "FAMILY_REVOKE"
            }
        }

        /// `revocationPercentage`; `nil` where nobody was refunded.
        var percentage: Int64? { if case .refund(let percentage) = kind { percentage } else { nil } }
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
    /// The price that was paid, in thousandths of the currency's unit.
    let price: Int64
    /// The commitment that it is a payment of; `nil` where it was billed up front.
    let commitment: Commitment?
    /// Why there is a transaction.
    let reason: Reason
    /// The account that the app set on the payment, a UUID in lowercase.
    let appAccountToken: String?
    /// Whether a family member paid.
    let isFamilyShared: Bool
    /// Whether the customer moved to a higher level before the end.
    var isUpgraded = false
    /// The refund, or the end of a family member's sharing.
    var revocation: Revocation?

    /// How it was billed.
    var plan: BillingPlanType { commitment == nil ? .billedUpfront : .monthly }

    /// `inAppOwnershipType`.
    var ownership: String { isFamilyShared ? "FAMILY_SHARED" : "PURCHASED" }

    /// The identifier of the purchase across devices: made from the transaction's, as it only has to be unique.
    var webOrderLineItemId: String { "9" + transactionId.dropFirst() }
}

/// A payment of a customer.
struct Payment {
    /// The product.
    let product: StoreProduct
    /// The billing plan.
    let plan: BillingPlanType
    /// The offer.
    let offer: StoreOffer?
    /// When the period begins.
    let start: Timestamp
    /// When the period ends; `nil` for as long as the plan, or the offer, lasts.
    var end: Timestamp?
    /// The account on the payment.
    let account: String?

    /// The transaction of this payment, the `number`th of its commitment where there is one.
    func transaction(
        _ reason: StoreTransaction.Reason,
        number: Int = 1,
        after previous: StoreTransaction? = nil,
        isFamilyShared: Bool = false,
        numbers: inout TransactionNumbers
    ) -> StoreTransaction {
        let id = numbers.next()
        let end = end ?? (offer?.period ?? product.period(plan)).after(start)
        return StoreTransaction(
            transactionId: id,
            originalTransactionId: previous?.originalTransactionId ?? id,
            productId: product.id,
            groupId: product.groupId,
            purchaseDate: start,
            originalPurchaseDate: previous?.originalPurchaseDate ?? start,
            expiresDate: end,
            offer: offer,
            price: offer?.price ?? product.price(plan),
            commitment: plan == .monthly
                ? Commitment(number: number, price: product.totalPrice(plan), periodEnds: end) : nil,
            reason: reason,
            appAccountToken: account,
            isFamilyShared: previous?.isFamilyShared ?? isFamilyShared
        )
    }
}

/// Hands out transaction identifiers: 16 digits, as Apple's have, in the order in which they are asked for.
struct TransactionNumbers: Sendable {
    private var last: Int64 = 2_000_000_000_000_000

    /// The next identifier.
    mutating func next() -> String {
        last += 1
        return String(last)
    }
}

import Offers

/// A payment for one period of a subscription.
struct StoreTransaction: Equatable, Sendable {
    /// `transactionReason`.
    enum Reason: String, Sendable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    /// A refund, or another end of a transaction before its time.
    struct Revocation: Equatable, Sendable {
        /// `revocationType`.
        enum Kind: Equatable, Sendable {
            /// A refund, in thousandths of a percent: 100000 is all of it.
            case refund(percentage: Int64)
            /// The family member who pays has stopped sharing: nobody was refunded.
            case familyRevoke
            /// The organisation, or the purchaser, has taken the seat away: nobody was refunded.
            case assignmentRevoke
            /// The customer has moved to another original transaction: nobody was refunded.
            case idChange

            /// Whose transactions it ends.
            var ownership: Ownership {
                switch self {
                case .refund, .idChange: .purchased
                case .familyRevoke: .familyShared
                case .assignmentRevoke: .assigned
                }
            }
        }

        /// All of a payment, as `revocationPercentage` has it.
        static let wholePercentage: Int64 = 100_000

        /// `revocationDate`.
        let date: Timestamp
        /// Whether money went back.
        let kind: Kind
        /// `revocationReason`: 0 for any but these: a problem with the app, 1, and a move to a bundle.
        ///
        /// StoreKit has a name for the move, whose number Apple has not published: 2 is the next one.
        var reason: Int64 { kind == .idChange ? 2 : 0 }

        /// `revocationType`; none is known for a move to another original transaction.
        var type: String? {
            switch kind {
            case .refund(Self.wholePercentage): "REFUND_FULL"
            case .refund: "REFUND_PRORATED"
            case .familyRevoke: "FAMILY_REVOKE"
            case .assignmentRevoke: "ASSIGNMENT_REVOKE"
            case .idChange: nil
            }
        }

        /// `revocationPercentage`; `nil` where nobody was refunded.
        var percentage: Int64? { if case .refund(let percentage) = kind { percentage } else { nil } }
    }

    var transactionId: String
    var originalTransactionId: String
    /// The identifier of the purchase, which copies on other devices share.
    private(set) var webOrderLineItemId: String
    let productId: String
    let groupId: String
    var purchaseDate: Timestamp
    let originalPurchaseDate: Timestamp
    var expiresDate: Timestamp
    let offer: StoreOffer?
    /// The price that was paid, in thousandths of the currency's unit.
    let price: Int64
    /// The commitment that it is a payment of; `nil` where it was billed up front.
    let commitment: Commitment?
    var reason: Reason
    /// The account that the app set on the payment, a UUID in lowercase.
    let appAccountToken: String?
    var holding: Holding
    /// Whether its period has several transactions, as seats were added (`additionalTransactionReason`).
    var isOfSeveral = false
    /// Whether the customer moved to a higher level before the end.
    var isUpgraded = false
    var revocation: Revocation?

    var plan: BillingPlanType { commitment == nil ? .billedUpfront : .monthly }

    var ownership: Ownership { holding.ownership }

    var quantity: Int64 { holding.seats?.quantity ?? 1 }

    /// Makes a purchase of its own of a copy.
    mutating func identify(by id: String) {
        transactionId = id
        webOrderLineItemId = Self.webOrderLineItemId(of: id)
    }

    /// The identifier of a transaction's purchase: made from the transaction's, as it only has to be unique.
    static func webOrderLineItemId(of id: String) -> String { "9" + id.dropFirst() }
}

struct Payment {
    let product: StoreProduct
    let plan: BillingPlanType
    let offer: StoreOffer?
    let start: Timestamp
    /// When the period ends; `nil` for as long as the plan, or the offer, lasts.
    var end: Timestamp?
    let account: String?
    var holding = Holding()

    /// The transaction of this payment, the `number`th of its commitment where there is one.
    func transaction(
        _ reason: StoreTransaction.Reason,
        number: Int = 1,
        after previous: StoreTransaction? = nil,
        numbers: inout TransactionNumbers
    ) -> StoreTransaction {
        let id = numbers.next()
        let end = end ?? (offer?.period ?? product.period(plan)).after(start)
        return StoreTransaction(
            transactionId: id,
            originalTransactionId: previous?.originalTransactionId ?? id,
            webOrderLineItemId: StoreTransaction.webOrderLineItemId(of: id),
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
            holding: holding
        )
    }
}

/// Hands out transaction identifiers: 16 digits, as Apple's have, in the order in which they are asked for.
struct TransactionNumbers: Sendable {
    var last: Int64 = 2_000_000_000_000_000

    mutating func next() -> String {
        last += 1
        return String(last)
    }
}

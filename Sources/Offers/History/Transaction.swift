/// A purchase or renewal, as far as a decision needs it.
///
/// Names are the App Store Server API's (`JWSTransactionDecodedPayload`).
package struct Transaction: Equatable, Sendable {
    /// The subscription: the identifier of its first purchase.
    package var originalTransactionId: String
    package var productId: String
    /// The product's group, where the evidence says it.
    package var subscriptionGroupIdentifier: String?
    package var purchaseDate: Timestamp?
    /// The end of the paid time; `nil` for a purchase without one, and where the evidence does not say.
    package var expiresDate: Timestamp?
    package var revocationDate: Timestamp?
    /// `nil` if the evidence does not say, as before December 2025: then it is a refund.
    package var revocation: Revocation?
    /// Whether an upgrade replaced it, which is no refund.
    package var isUpgraded = false
    /// Only the customer's own counts as bought.
    package var ownership = Ownership.purchased
    package var appAccountToken: AppAccountToken?
    package var offer: RedeemedOffer?
    /// Whether the lack of an offer is said: an old receipt's row may leave out whether it was a trial.
    package var isOfferSaid = true
    /// Whether its period costs nothing, whatever kind of offer makes it so; `nil` where the evidence does not say.
    package var isFree: Bool?
    /// Whether an offer's whole time was paid at once: then each purchase under it is a redemption.
    package var isPaidUpFront = false
    /// `nil` where the evidence does not say.
    package var transactionId: String?
    /// `nil` if the evidence does not say, as verifyReceipt never does.
    package var price: PaidPrice?
    /// The App Store's country, as Apple writes it (ISO 3166-1 alpha-3); `nil` where the evidence does not say.
    package var storefront: String?
    /// `nil` where the evidence does not say, as verifyReceipt never does.
    package var reason: TransactionReason?
    /// `nil` where the evidence does not say, or names a plan that is not known.
    package var billingPlan: BillingPlan?
    /// Apple's number for the purchase, which stays where a restore gives it another ``transactionId``.
    package var webOrderLineItemId: String?
    /// The identifier that the subscription had before: both are one subscription.
    package var previousOriginalTransactionId: String?
    /// The customer's download of the app, by which the App Store knows the customer, too.
    package var appTransactionId: String?
    /// When the customer first bought the subscription; `nil` where the evidence does not say.
    package var originalPurchaseDate: Timestamp?
    /// The bundle that it came with; `nil` for a purchase by itself, and where the evidence does not say, as verifyReceipt
    /// never does.
    package var bundle: SubscriptionBundle?
    /// Whether it adds to a period that was paid already, as seats do (`additionalTransactionReason`).
    package var isAddition = false
    /// VerifyReceipt does not say it.
    package var kind = Kind.subscription
    /// `type` as Apple wrote it, of a purchase that is no subscription; `nil` where the evidence does not say, and of what
    /// is held.
    package var typeName: String?

    /// The kind of a purchase, by `type`.
    package enum Kind: Int64, Sendable {
        case subscription = 0
        /// Something else that names a subscription as its past: a bundle that took its place.
        case bundle = 1
        /// Something else, which makes nobody a subscriber.
        case other = 2
    }

    /// Whether the left one was bought before the right one.
    ///
    /// Expiry decides ties and stands in for a missing purchase date. One that was revoked before it began has its place at
    /// that moment. Of two that are equal in both, the refunded one counts as the newer. Then the identifiers decide: Apple's
    /// lists come in no order that counts.
    package static func isOlder(_ left: Transaction, _ right: Transaction) -> Bool {
        let (leftDate, rightDate) = (left.placeInTime, right.placeInTime)
        guard leftDate == rightDate else { return precedes(leftDate, rightDate) }
        guard left.expiresDate == right.expiresDate else { return precedes(left.expiresDate, right.expiresDate) }
        guard left.revocationDate == right.revocationDate else {
            return precedes(left.revocationDate, right.revocationDate)
        }
        for text in tieBreakers where text(left) != text(right) { return text(left) < text(right) }
        return false
    }

    private var placeInTime: Timestamp? {
        let begin = purchaseDate ?? expiresDate
        guard let revocationDate, let begin else { return begin }
        return min(begin, revocationDate)
    }

    /// For two that are equal in all dates, one after the other.
    private static let tieBreakers: [@Sendable (Transaction) -> String] = [
        { $0.transactionId ?? "" }, { $0.originalTransactionId }, { $0.productId }, { $0.offerText },
        { $0.isUpgraded ? "1" : "0" }, { $0.subscriptionGroupIdentifier ?? "" }, { $0.reason?.rawValue ?? "" },
        { $0.ownership.name ?? "" }, { $0.revocation?.kind.name ?? "" }, { $0.isFree.map { $0 ? "1" : "0" } ?? "" },
        { $0.isPaidUpFront ? "1" : "0" },
        { $0.storefront ?? "" }, { $0.originalPurchaseDate?.rfc3339 ?? "" }, { $0.bundle?.text ?? "" },
    ]

    /// Whether its period costs nothing by it or a copy of it: where they contradict each other, it does.
    package func isFree(or copy: Transaction) -> Bool? {
        isFree == true || copy.isFree == true ? true : isFree ?? copy.isFree
    }

    private var offerText: String { offer.map { "\($0.type)\($0.identifier)" } ?? "" }

    static func precedes(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
        switch (left, right) {
        case (let left?, let right?): left < right
        case (nil, _?): true
        default: false
        }
    }
}

extension Transaction {
    /// A purchase of which no more is known yet.
    package init(originalTransactionId: String, productId: String) {
        self.init(originalTransactionId: originalTransactionId, productId: productId, transactionId: nil)
    }
}

/// The owner of a transaction (`inAppOwnershipType`).
package enum Ownership: Hashable, Sendable {
    case purchased
    case familyShared
    /// An organisation's or a group's, who pay for the customer's seat.
    case assigned
    /// Another text of Apple's, or `nil` where there was none: whether the customer bought it is not known.
    case unknown(String?)

    package init(_ name: String?) {
        self =
            switch name {
            case "PURCHASED": .purchased
            case "FAMILY_SHARED": .familyShared
            case "ASSIGNED": .assigned
            default: .unknown(name)
            }
    }

    /// Apple's text; `nil` where there was none.
    package var name: String? {
        switch self {
        case .purchased: "PURCHASED"
        case .familyShared: "FAMILY_SHARED"
        case .assigned: "ASSIGNED"
        case .unknown(let name): name
        }
    }

    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

/// A revocation (`revocationType`, `revocationReason` and `revocationPercentage`).
package struct Revocation: Equatable, Sendable {
    /// Whether money went back, and how much.
    package enum Kind: Hashable, Sendable {
        case full
        case prorated
        /// Family Sharing ended: the purchaser stopped it, or left the family. Nobody was refunded.
        case family
        /// The purchaser of seats took the customer's away. Nobody was refunded.
        case assignment
        /// Another type or reason, as Apple wrote it: access ended, and whether there was a refund is not known.
        case unknown(String)

        /// Reads `revocationType`, or ``name``.
        package init(_ name: String) {
            self =
                switch name {
                case "REFUND_FULL": .full
                case "REFUND_PRORATED": .prorated
                case "FAMILY_REVOKE": .family
                case "ASSIGNMENT_REVOKE": .assignment
                default: .unknown(name)
                }
        }

        package var name: String {
            switch self {
            case .full: "REFUND_FULL"
            case .prorated: "REFUND_PRORATED"
            case .family: "FAMILY_REVOKE"
            case .assignment: "ASSIGNMENT_REVOKE"
            case .unknown(let name): name
            }
        }
    }

    package let kind: Kind
    /// Of the price, in thousandths of a percent; `nil` where Apple does not say.
    package let percentage: Int64?

    package init(_ kind: Kind, percentage: Int64? = nil) {
        self.kind = kind
        self.percentage = percentage
    }

    /// Reads Apple's members; `nil` where they say no more than that there was a revocation.
    ///
    /// `cancellation_reason` is a reason, too: 0 and 1 are known, and go with every type.
    package init?(type: String?, reason: String?, percentage: Int64? = nil) {
        if let reason, reason != "0", reason != "1" {
            self.init(.unknown((type.map { "\($0), " } ?? "") + "reason \(reason)"), percentage: percentage)
        } else if let type {
            self.init(Kind(type), percentage: percentage)
        } else {
            return nil
        }
    }
}

/// Why there is a transaction (`transactionReason` of the App Store Server API).
package enum TransactionReason: String, Sendable {
    /// The customer bought: for the first time, again, or something else of the group.
    case purchase = "PURCHASE"
    case renewal = "RENEWAL"
}

/// How a customer pays for a subscription (`billingPlanType`, App Store Server API 1.21).
package indirect enum BillingPlan: Equatable, Sendable {
    /// The whole period at its beginning (`BILLED_UPFRONT`).
    case upfront
    /// Month by month, for a commitment of several months (`MONTHLY`).
    case monthly(Commitment?)

    /// The progress of a commitment (`commitmentInfo` of a transaction): it is shown, and decides nothing.
    package struct Commitment: Equatable, Sendable {
        /// The billing period that was paid, from 1.
        package let billingPeriodNumber: Int64?
        package let totalBillingPeriods: Int64?
        package let expiresDate: Timestamp?

        package init(billingPeriodNumber: Int64?, totalBillingPeriods: Int64?, expiresDate: Timestamp?) {
            self.billingPeriodNumber = billingPeriodNumber
            self.totalBillingPeriods = totalBillingPeriods
            self.expiresDate = expiresDate
        }
    }
}

/// The price paid for a transaction, as Apple signs it (`price` and `currency` of `JWSTransactionDecodedPayload`).
package struct PaidPrice: Hashable, Sendable {
    /// Thousandths of the currency's unit.
    package let milliunits: Int64
    /// The code of ISO 4217, as Apple writes it.
    package let currency: String

    package init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }
}

/// The offer under which a transaction was made (`offerType` of the App Store Server API).
package enum RedeemedOffer: Hashable, Sendable {
    /// An introductory offer or free trial (`offerType` 1).
    case introductory
    /// A promotional offer, by its identifier (`offerType` 2).
    case promotional(String)
    /// A subscription offer code, by its reference name (`offerType` 3).
    case offerCode(String)
    /// A win-back offer, by its identifier (`offerType` 4).
    case winBack(String)
    /// A retention offer, by its identifier (`offerType` 5, June 2026).
    ///
    /// It is redeemed on the page where a subscription is cancelled, without a signature.
    case retention(String)
    /// An offer of an unknown type, or without the identifier that its type has: it is an offer that runs all the same.
    case other(type: Int64, identifier: String)

    /// Reads Apple's two members; `nil` where there is no offer, which a type of `nil` or 0 says.
    package init?(type: Int64?, identifier: String?) {
        switch (type, identifier) {
        case (nil, _), (0, _): return nil
        case (1, _): self = .introductory
        case (2, let identifier?): self = .promotional(identifier)
        case (3, let identifier): self = .offerCode(identifier ?? "")
        case (4, let identifier?): self = .winBack(identifier)
        case (5, let identifier?): self = .retention(identifier)
        case (let type?, let identifier): self = .other(type: type, identifier: identifier ?? "")
        }
    }

    package var type: Int64 {
        switch self {
        case .introductory: 1
        case .promotional: 2
        case .offerCode: 3
        case .winBack: 4
        case .retention: 5
        case .other(let type, _): type
        }
    }

    /// Empty where Apple gave none.
    package var identifier: String {
        switch self {
        case .introductory: ""
        case .promotional(let id), .offerCode(let id), .winBack(let id), .retention(let id): id
        case .other(_, let id): id
        }
    }

    /// Whether it was taken on the page where a subscription is cancelled.
    var isRetention: Bool { if case .retention = self { true } else { false } }

    /// The identifier of an offer that the catalog may have: of a promotional offer, or of one that Apple shows as a
    /// retention offer.
    package var catalogId: String? {
        switch self {
        case .promotional(let id), .retention(let id): id
        case .introductory, .offerCode, .winBack, .other: nil
        }
    }
}

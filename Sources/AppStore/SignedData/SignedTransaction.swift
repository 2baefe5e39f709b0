import Offers
import StrictJSON

/// A transaction that the App Store signed (`JWSTransactionDecodedPayload`).
struct SignedTransaction {
    let transactionId: String
    /// The app's own transaction of the customer, by which the App Store knows the customer, too.
    let appTransactionId: String?
    let bundleId: String
    /// The environment of the purchase; `nil` for one that is none of Apple's.
    let environment: AppStoreEnvironment?
    let signedDate: Timestamp
    let transaction: Transaction

    init(_ payload: SignedDataVerifier.Payload) throws(SignedDataFault) {
        var transaction = Transaction(originalTransactionId: "", productId: "")
        transaction.ownership = .unknown(nil)
        var rest = Rest()
        try payload.read("transaction") { (json) throws(JSONFault) in
            var reader = JSONReader(json, refusesDuplicates: false)
            try reader.readObject(TransactionMember.table) { (member, reader) throws(JSONFault) in
                try rest.read(member, beside: &transaction, from: &reader)
            }
        }
        guard let transactionId = transaction.transactionId, let bundleId = rest.bundleId,
            !transaction.originalTransactionId.isEmpty, !transaction.productId.isEmpty
        else {
            throw SignedDataFault(
                .payloadMalformed,
                "The payload is signed, but not a transaction's: that has transactionId, originalTransactionId, productId "
                    + "and bundleId."
            )
        }
        self.transactionId = transactionId
        appTransactionId = transaction.appTransactionId
        self.bundleId = bundleId
        signedDate = payload.signedDate
        environment = try payload.environment(named: rest.environment)
        transaction.kind =
            switch (transaction.typeName, transaction.previousOriginalTransactionId) {
            case ("Auto-Renewable Subscription", _): .subscription
            case (_, .some): .bundle
            case (_, nil): .other
            }
        if transaction.kind == .subscription { transaction.typeName = nil }
        // A purchase that does not renew is no subscription, even if it ends some time.
        if transaction.kind == .other { transaction.expiresDate = nil }
        if transaction.revocationDate == nil, rest.isRevokedWithoutDate {
            transaction.revocationDate = payload.signedDate
        }
        transaction.revocation = rest.revocation
        transaction.ownership = rest.owner(insteadOf: transaction.ownership)
        transaction.offer = RedeemedOffer(type: rest.offerType, identifier: rest.offerIdentifier)
        transaction.isFree = rest.isFree
        transaction.isPaidUpFront = rest.offerDiscountType == "PAY_UP_FRONT"
        transaction.price = rest.price
        transaction.billingPlan = rest.billingPlan
        transaction.bundle = rest.bundle
        self.transaction = transaction
    }

    /// The members that are not the transaction's own, or that make a value with others.
    private struct Rest {
        var bundleId: String?
        var environment: String?
        var revocationReason: String?
        var revocationType: String?
        var revocationPercentage: Int64?
        var hasRevokedSeats = false
        var bundleOriginalTransactionId: String?
        var bundleTransactionId: String?
        var bundleProductId: String?
        var bundleGroup: String?
        var offerType: Int64?
        var offerIdentifier: String?
        var offerDiscountType: String?
        var milliunits: Int64?
        var currency: String?
        var billingPlanType: String?
        var commitment: BillingPlan.Commitment?

        var revocation: Revocation? {
            Revocation(type: revocationType, reason: revocationReason, percentage: revocationPercentage)
        }

        /// Whether it was revoked nobody knows when; seats that were given back leave the subscription to the others.
        var isRevokedWithoutDate: Bool { (revocationReason != nil || revocationType != nil) && !hasRevokedSeats }

        /// Whose purchase it is: only what was shared or assigned can be taken back by the end of that.
        func owner(insteadOf ownership: Ownership) -> Ownership {
            switch (revocation?.kind, ownership) {
            case (.family, .purchased): .familyShared
            case (.assignment, .purchased): .assigned
            case (.family, .assigned), (.assignment, .familyShared): .unknown(ownership.name)
            default: ownership
            }
        }

        /// Without an offer it is paid; a discount of a kind that is not known may be free.
        var isFree: Bool? {
            switch offerDiscountType {
            case "FREE_TRIAL": true
            case "PAY_AS_YOU_GO", "PAY_UP_FRONT": false
            case nil where offerType == nil || offerType == 0: false
            default: nil
            }
        }

        var billingPlan: BillingPlan? {
            switch billingPlanType {
            case "BILLED_UPFRONT": .upfront
            case "MONTHLY": .monthly(commitment)
            default: nil
            }
        }

        var price: PaidPrice? {
            guard let milliunits, let currency else { return nil }
            return PaidPrice(milliunits: milliunits, currency: currency)
        }

        /// Any of the four says that there is one.
        var bundle: SubscriptionBundle? {
            guard
                bundleTransactionId != nil || bundleOriginalTransactionId != nil || bundleProductId != nil
                    || bundleGroup != nil
            else { return nil }
            return .of(
                originalTransactionId: bundleOriginalTransactionId,
                transactionId: bundleTransactionId,
                productId: bundleProductId
            )
        }

        mutating func read(
            _ member: TransactionMember?,
            beside transaction: inout Transaction,
            from reader: inout JSONReader
        ) throws(JSONFault) {
            switch member {
            case .transactionId: transaction.transactionId = try reader.readAppleIdentifier()
            case .originalTransactionId: transaction.originalTransactionId = try reader.readAppleIdentifier() ?? ""
            case .appTransactionId: transaction.appTransactionId = try reader.readAppleIdentifier()
            case .bundleId: bundleId = try reader.readAppleIdentifier()
            case .productId: transaction.productId = try reader.readAppleIdentifier() ?? ""
            case .subscriptionGroupIdentifier:
                transaction.subscriptionGroupIdentifier = try reader.readAppleIdentifier()
            case .environment: environment = try reader.readAppleText()
            case .type: transaction.typeName = try reader.readAppleText()
            case .purchaseDate: transaction.purchaseDate = try reader.readAppleDate()
            case .expiresDate: transaction.expiresDate = try reader.readAppleDate()
            case .revocationDate: transaction.revocationDate = try reader.readAppleDate()
            case .revocationReason: revocationReason = try reader.readAppleText()
            case .revocationType: revocationType = try reader.readAppleText()
            case .revocationPercentage: revocationPercentage = try reader.readAppleInteger()
            case .isUpgraded: transaction.isUpgraded = try reader.readAppleFlag() ?? false
            case .inAppOwnershipType: transaction.ownership = try reader.readOwnership() ?? .unknown(nil)
            case .multiSeatInfo: hasRevokedSeats = try Self.hasRevokedSeats(reading: &reader)
            case .webOrderLineItemId: transaction.webOrderLineItemId = try reader.readAppleIdentifier()
            case .previousOriginalTransactionId:
                transaction.previousOriginalTransactionId = try reader.readAppleIdentifier()
            case .additionalTransactionReason: transaction.isAddition = try reader.readAppleText() != nil
            case .appAccountToken: transaction.appAccountToken = try reader.readAppleAccountToken()
            case .offerType: offerType = try reader.readAppleInteger()
            case .offerIdentifier: offerIdentifier = try reader.readAppleIdentifier()
            case .offerDiscountType: offerDiscountType = try reader.readAppleText()
            case .price: milliunits = try reader.readAppleInteger()
            case .currency: currency = try reader.readAppleIdentifier()
            case .storefront: transaction.storefront = try reader.readAppleIdentifier()
            case .transactionReason: transaction.reason = try reader.readAppleText().flatMap(TransactionReason.init)
            case .billingPlanType: billingPlanType = try reader.readAppleText()
            case .commitmentInfo: commitment = try BillingPlan.Commitment(reading: &reader)
            case .originalPurchaseDate: transaction.originalPurchaseDate = try reader.readAppleDate()
            case .bundleTransactionId, .bundleTransactionID: bundleTransactionId = try reader.readAppleIdentifier()
            case .bundleOriginalTransactionId, .bundleOriginalTransactionID:
                bundleOriginalTransactionId = try reader.readAppleIdentifier()
            case .bundleProductId, .bundleProductID: bundleProductId = try reader.readAppleIdentifier()
            case .bundleSubscriptionGroupId, .bundleSubscriptionGroupID:
                bundleGroup = try reader.readAppleIdentifier()
            case nil: try reader.skipValue()
            }
        }

        /// Whether `multiSeatInfo` says that some of the seats were refunded.
        private static func hasRevokedSeats(reading reader: inout JSONReader) throws(JSONFault) -> Bool {
            var quantity: Int64?
            try reader.readAppleObject { (name, reader) throws(JSONFault) in
                if name == "revokedSeatQuantity" {
                    quantity = try reader.readAppleInteger()
                } else {
                    try reader.skipValue()
                }
            }
            return quantity.map { $0 > 0 } ?? false
        }
    }
}

extension BillingPlan.Commitment {
    /// Reads a transaction's `commitmentInfo`; `nil` where it is no object.
    fileprivate init?(reading reader: inout JSONReader) throws(JSONFault) {
        var number: Int64?
        var total: Int64?
        var expiresDate: Timestamp?
        let isObject = try reader.readAppleObject { (name, reader) throws(JSONFault) in
            switch name {
            case "billingPeriodNumber": number = try reader.readAppleInteger()
            case "totalBillingPeriods": total = try reader.readAppleInteger()
            case "commitmentExpiresDate": expiresDate = try reader.readAppleDate()
            default: try reader.skipValue()
            }
        }
        guard isObject else { return nil }
        self.init(billingPeriodNumber: number, totalBillingPeriods: total, expiresDate: expiresDate)
    }
}

/// The members of `JWSTransactionDecodedPayload` that count.
private enum TransactionMember: String, CaseIterable {
    case transactionId
    case originalTransactionId
    case appTransactionId
    case bundleId
    case productId
    case subscriptionGroupIdentifier
    case environment
    case type
    case purchaseDate
    case expiresDate
    case revocationDate
    case revocationReason
    case revocationType
    case revocationPercentage
    case isUpgraded
    case inAppOwnershipType
    case multiSeatInfo
    case webOrderLineItemId
    case previousOriginalTransactionId
    case additionalTransactionReason
    case appAccountToken
    case offerType
    case offerIdentifier
    case offerDiscountType
    case price
    case currency
    case storefront
    case transactionReason
    case billingPlanType
    case commitmentInfo
    case originalPurchaseDate
    // StoreKit's names end in ID, and those of Apple's server as a rule in Id: its names of these are not published.
    case bundleTransactionId
    case bundleTransactionID
    case bundleOriginalTransactionId
    case bundleOriginalTransactionID
    case bundleProductId
    case bundleProductID
    case bundleSubscriptionGroupId
    case bundleSubscriptionGroupID

    static let table = JSONMembers(TransactionMember.self)
}

extension SignedDataVerifier.Payload {
    func environment(named name: String?) throws(SignedDataFault) -> AppStoreEnvironment? {
        let environment = name.flatMap(AppStoreEnvironment.init(rawValue:))
        if isLocallySigned, environment != .xcode, environment != .localTesting {
            throw SignedDataFault(
                .chainLength,
                "x5c has one certificate: that is enough for the environments Xcode and LocalTesting alone."
            )
        }
        return environment
    }
}

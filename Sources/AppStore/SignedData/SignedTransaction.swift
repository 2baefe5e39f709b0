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
        var fields = Fields()
        try payload.read("transaction") { (json) throws(JSONFault) in
            var reader = JSONReader(json, refusesDuplicates: false)
            try reader.readObject(TransactionMember.table) { (member, reader) throws(JSONFault) in
                try fields.read(member, from: &reader)
            }
        }
        guard let transactionId = fields.transactionId, let bundleId = fields.bundleId,
            let originalTransactionId = fields.originalTransactionId, let productId = fields.productId
        else {
            throw SignedDataFault(
                .payloadMalformed,
                "The payload is signed, but not a transaction's: that has transactionId, originalTransactionId, productId "
                    + "and bundleId."
            )
        }
        self.transactionId = transactionId
        self.appTransactionId = fields.appTransactionId
        self.bundleId = bundleId
        signedDate = payload.signedDate
        self.environment = try payload.environment(named: fields.environment)
        let kind: Transaction.Kind =
            switch (fields.type, fields.previousOriginalTransactionId) {
            case ("Auto-Renewable Subscription", _): .subscription
            case (_, .some): .bundle
            case (_, nil): .other
            }
        var transaction = Transaction(
            originalTransactionId: originalTransactionId,
            productId: productId,
            subscriptionGroupIdentifier: fields.group,
            purchaseDate: fields.purchaseDate,
            // A purchase that does not renew is no subscription, even if it ends some time.
            expiresDate: kind == .other ? nil : fields.expiresDate,
            revocationDate: fields.revocationDate ?? (fields.isRevokedWithoutDate ? payload.signedDate : nil),
            revocation: fields.revocation,
            isUpgraded: fields.isUpgraded,
            ownership: fields.owner,
            appAccountToken: fields.appAccountToken,
            offer: RedeemedOffer(type: fields.offerType, identifier: fields.offerIdentifier),
            transactionId: transactionId,
            price: fields.price,
            storefront: fields.storefront,
            reason: fields.reason,
            billingPlan: fields.billingPlan
        )
        transaction.kind = kind
        transaction.typeName = kind == .subscription ? nil : fields.type
        transaction.isFree = fields.isFree
        transaction.webOrderLineItemId = fields.webOrderLineItemId
        transaction.previousOriginalTransactionId = fields.previousOriginalTransactionId
        transaction.appTransactionId = fields.appTransactionId
        transaction.isAddition = fields.isAddition
        transaction.originalPurchaseDate = fields.originalPurchaseDate
        transaction.bundle = fields.bundle
        self.transaction = transaction
    }

    private struct Fields {
        var transactionId: String?
        var originalTransactionId: String?
        var appTransactionId: String?
        var bundleId: String?
        var productId: String?
        var group: String?
        var environment: String?
        var type: String?
        var purchaseDate: Timestamp?
        var expiresDate: Timestamp?
        var revocationDate: Timestamp?
        var revocationReason: String?
        var revocationType: String?
        var revocationPercentage: Int64?
        var isUpgraded = false
        var ownership = Ownership.unknown(nil)
        var hasRevokedSeats = false
        var webOrderLineItemId: String?
        var previousOriginalTransactionId: String?
        var isAddition = false
        var originalPurchaseDate: Timestamp?
        var bundleOriginalTransactionId: String?
        var bundleTransactionId: String?
        var bundleProductId: String?
        var bundleGroup: String?
        var appAccountToken: AppAccountToken?
        var offerType: Int64?
        var offerIdentifier: String?
        var offerDiscountType: String?
        var milliunits: Int64?
        var currency: String?
        var storefront: String?
        var reason: TransactionReason?
        var billingPlanType: String?
        var commitment: BillingPlan.Commitment?

        var revocation: Revocation? {
            Revocation(type: revocationType, reason: revocationReason, percentage: revocationPercentage)
        }

        /// Whether it was revoked nobody knows when; seats that were given back leave the subscription to the others.
        var isRevokedWithoutDate: Bool { (revocationReason != nil || revocationType != nil) && !hasRevokedSeats }

        /// Whose purchase it is: only what was shared or assigned can be taken back by the end of that.
        var owner: Ownership {
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

        mutating func read(_ member: TransactionMember?, from reader: inout JSONReader) throws(JSONFault) {
            switch member {
            case .transactionId: transactionId = try reader.readAppleIdentifier()
            case .originalTransactionId: originalTransactionId = try reader.readAppleIdentifier()
            case .appTransactionId: appTransactionId = try reader.readAppleIdentifier()
            case .bundleId: bundleId = try reader.readAppleIdentifier()
            case .productId: productId = try reader.readAppleIdentifier()
            case .subscriptionGroupIdentifier: group = try reader.readAppleIdentifier()
            case .environment: environment = try reader.readAppleText()
            case .type: type = try reader.readAppleText()
            case .purchaseDate: purchaseDate = try reader.readAppleDate()
            case .expiresDate: expiresDate = try reader.readAppleDate()
            case .revocationDate: revocationDate = try reader.readAppleDate()
            case .revocationReason: revocationReason = try reader.readAppleText()
            case .revocationType: revocationType = try reader.readAppleText()
            case .revocationPercentage: revocationPercentage = try reader.readAppleInteger()
            case .isUpgraded: isUpgraded = try reader.readAppleFlag() ?? false
            case .inAppOwnershipType: ownership = try reader.readOwnership() ?? .unknown(nil)
            case .multiSeatInfo: hasRevokedSeats = try Self.hasRevokedSeats(reading: &reader)
            case .webOrderLineItemId: webOrderLineItemId = try reader.readAppleIdentifier()
            case .previousOriginalTransactionId: previousOriginalTransactionId = try reader.readAppleIdentifier()
            case .additionalTransactionReason: isAddition = try reader.readAppleText() != nil
            case .appAccountToken: appAccountToken = try reader.readAppleAccountToken()
            case .offerType: offerType = try reader.readAppleInteger()
            case .offerIdentifier: offerIdentifier = try reader.readAppleIdentifier()
            case .offerDiscountType: offerDiscountType = try reader.readAppleText()
            case .price: milliunits = try reader.readAppleInteger()
            case .currency: currency = try reader.readAppleIdentifier()
            case .storefront: storefront = try reader.readAppleIdentifier()
            case .transactionReason: reason = try reader.readAppleText().flatMap(TransactionReason.init)
            case .billingPlanType: billingPlanType = try reader.readAppleText()
            case .commitmentInfo: commitment = try BillingPlan.Commitment(reading: &reader)
            case .originalPurchaseDate: originalPurchaseDate = try reader.readAppleDate()
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

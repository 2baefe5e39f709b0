import Offers
import StrictJSON

/// The `receipt` of an answer: an app receipt with `in_app`, or an iOS 6 style receipt of one transaction.
struct Receipt {
    /// `bundle_id`, or `bid` of iOS 6 style receipts.
    var bundleId: String?
    /// What `receipt_type` implies.
    var environment: AppStoreEnvironment?
    /// `request_date_ms`, else `request_date`.
    var requestDate: Timestamp?
    /// `in_app`, or the receipt's own transaction.
    var transactions: [Transaction] = []
    /// Whether the receipt is itself a transaction.
    var isTransaction = false

    init() {}

    init(reading reader: inout JSONReader) throws(JSONFault) {
        var bundleIdentifier: String?
        var oldBundleIdentifier: String?
        var own = TransactionFields()
        var inApp: [Transaction] = []
        var environment: AppStoreEnvironment?
        var requestDate = AppleDateFields()
        try reader.readObject(ReceiptMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .bundleId: bundleIdentifier = try reader.readAppleIdentifier()
            case .oldBundleId: oldBundleIdentifier = try reader.readAppleIdentifier()
            case .receiptType: environment = Self.environment(ofType: try reader.readAppleText())
            case .requestDate: requestDate.milliseconds = try reader.readAppleDate()
            case .requestDateText: try requestDate.readText(from: &reader)
            case .inApp:
                try reader.readOneOrMany { (reader) throws(JSONFault) in
                    let limit = VerifyReceiptResponse.maximumTransactions
                    guard inApp.count < limit else { throw .tooMany(limit) }
                    inApp.append(try Transaction(reading: &reader))
                }
            default: try own.read(member, from: &reader)
            }
        }
        self.bundleId = bundleIdentifier ?? oldBundleIdentifier
        self.environment = environment
        self.requestDate = try requestDate.value(named: ReceiptMember.requestDateText.rawValue)
        isTransaction = own.productId != nil
        transactions = isTransaction ? inApp + [try own.transaction()] : inApp
    }

    /// The environment of a `receipt_type`: Production, ProductionVPP, ProductionSandbox or ProductionVPPSandbox.
    private static func environment(ofType type: String?) -> AppStoreEnvironment? {
        switch type {
        case "Production", "ProductionVPP": .production
        case "Sandbox", "ProductionSandbox", "ProductionVPPSandbox": .sandbox
        case "Xcode": .xcode
        default: nil
        }
    }
}

/// The members of a receipt and of its transactions that count: an iOS 6 style receipt is both in one object.
enum ReceiptMember: String, CaseIterable {
    // Members of a receipt.
    case bundleId = "bundle_id"
    case oldBundleId = "bid"
    case receiptType = "receipt_type"
    case requestDate = "request_date_ms"
    case requestDateText = "request_date"
    case inApp = "in_app"
    // Members of a transaction.
    case productId = "product_id"
    case originalTransactionId = "original_transaction_id"
    case transactionId = "transaction_id"
    case group = "subscription_group_identifier"
    case purchaseDate = "purchase_date_ms"
    case purchaseDateText = "purchase_date"
    case originalPurchaseDate = "original_purchase_date_ms"
    case originalPurchaseDateText = "original_purchase_date"
    case expiresDate = "expires_date_ms"
    case expiresDateText = "expires_date"
    case cancellationDate = "cancellation_date_ms"
    case cancellationDateText = "cancellation_date"
    case cancellationReason = "cancellation_reason"
    case webOrderLineItemId = "web_order_line_item_id"
    case isUpgraded = "is_upgraded"
    case isTrialPeriod = "is_trial_period"
    case isInIntroOfferPeriod = "is_in_intro_offer_period"
    case ownershipType = "in_app_ownership_type"
    case promotionalOfferId = "promotional_offer_id"
    case offerCodeName = "offer_code_ref_name"
    case appAccountToken = "app_account_token"

    static let table = JSONMembers(ReceiptMember.self)
}

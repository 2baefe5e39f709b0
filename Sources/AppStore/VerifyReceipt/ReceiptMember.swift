import StrictJSON

/// The members of a receipt and of its transactions that count: an iOS 6 style receipt is both in one object.
enum ReceiptMember: String, CaseIterable {
    // Of a receipt.
    case bundleId = "bundle_id"
    case oldBundleId = "bid"
    case receiptType = "receipt_type"
    case requestDate = "request_date_ms"
    case requestDateText = "request_date"
    case inApp = "in_app"
    // Of a transaction.
    case productId = "product_id"
    case originalTransactionId = "original_transaction_id"
    case transactionId = "transaction_id"
    case group = "subscription_group_identifier"
    case purchaseDate = "purchase_date_ms"
    case purchaseDateText = "purchase_date"
    case expiresDate = "expires_date_ms"
    case expiresDateText = "expires_date"
    case cancellationDate = "cancellation_date_ms"
    case cancellationDateText = "cancellation_date"
    case isUpgraded = "is_upgraded"
    case isTrialPeriod = "is_trial_period"
    case isInIntroOfferPeriod = "is_in_intro_offer_period"
    case ownershipType = "in_app_ownership_type"
    case promotionalOfferId = "promotional_offer_id"
    case offerCodeName = "offer_code_ref_name"
    case appAccountToken = "app_account_token"

    /// All of them, for a reader.
    static let table = JSONMembers(ReceiptMember.self)
}

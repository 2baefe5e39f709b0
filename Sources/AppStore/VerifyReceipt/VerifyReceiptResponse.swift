import Offers

/// An answer of verifyReceipt, as far as decisions need it (`responseBody`, App Store Receipts documentation).
struct VerifyReceiptResponse {
    /// How many transactions a list may have: a hundred years of weekly renewals.
    static let maximumTransactions = 5000
    /// How many entries `pending_renewal_info` may have: Apple's has one for each subscription.
    static let maximumRenewals = 1000

    /// 0 when the receipt is fine; else why it is not.
    var status: Int64
    /// `is-retryable` (also `is_retryable`) of status 21100 to 21199: whether the fault passes; `nil` where it is not said.
    var isRetryable: Bool?
    /// `environment`, or what `receipt.receipt_type` implies.
    var environment: AppStoreEnvironment?
    /// Whether the answer has a `receipt`: lists that are left out are empty ones then.
    var hasReceipt = false
    /// `receipt.bundle_id`, or `receipt.bid` of iOS 6 style receipts.
    var bundleId: String?
    /// `receipt.request_date_ms`, else `receipt.request_date`: Apple's clock when it answered.
    var requestDate: Timestamp?
    /// `latest_receipt_info`.
    var latestTransactions: [Transaction] = []
    /// `receipt.in_app`, or the receipt itself where it is an iOS 6 style transaction receipt.
    var receiptTransactions: [Transaction] = []
    /// Whether the receipt is an iOS 6 style transaction receipt, which shows one subscription alone.
    var isTransactionReceipt = false
    /// `pending_renewal_info`; `nil` where the answer leaves it out.
    var pendingRenewals: [RenewalInfo]?
    /// What an iOS 6 style answer says of its subscription's renewal, in members of its own (`auto_renew_status`,
    /// `expiration_intent`, `is_in_billing_retry_period`); `nil` where it says nothing.
    var ownRenewal: RenewalInfo?
}

extension VerifyReceiptResponse {
    /// What the answer says of the customer.
    ///
    /// - Returns: The history.
    /// - Throws: `EvidenceFault` when the status says that there is nothing to read.
    func history() throws(EvidenceFault) -> SubscriptionHistory {
        guard status == 0 || status == 21006 else {
            throw EvidenceFault(
                .rejected,
                code: "receipt_status",
                detail: "verifyReceipt answered with status \(status): \(Self.meaning(ofStatus: status)).",
                pointer: "/status"
            )
        }
        let joined = JoinedTransactions(latestTransactions, and: receiptTransactions)
        return SubscriptionHistory(
            bundleId: bundleId,
            environment: environment,
            asOf: requestDate,
            renewals: pendingRenewals ?? transactionReceiptRenewals ?? (hasReceipt ? [] : nil),
            transactions: joined.transactions,
            coverage: coverage(joined)
        )
    }

    /// The entry of an iOS 6 style answer, which has no `pending_renewal_info`: Apple returns that for app receipts alone.
    private var transactionReceiptRenewals: [RenewalInfo]? {
        guard isTransactionReceipt, var renewal = ownRenewal, let own = receiptTransactions.last else { return nil }
        let latest = latestTransactions.last { $0.originalTransactionId == own.originalTransactionId }
        renewal.originalTransactionId = own.originalTransactionId
        renewal.productId = (latest ?? own).productId
        return [renewal]
    }

    private func coverage(_ joined: JoinedTransactions) -> HistoryCoverage {
        if isTransactionReceipt { return .oneSubscription }
        return joined.lacksPeriods ? .newestTransactions : .complete
    }

    /// What a status means, for a sentence.
    static func meaning(ofStatus status: Int64) -> String {
        switch status {
        case 21000: "the request was no POST"
        case 21002: "the receipt was malformed, or the service had a temporary fault"
        case 21003: "the receipt could not be authenticated"
        case 21004: "the shared secret is not the app's"
        case 21005, 21009: "the App Store was not able to answer; ask again"
        case 21007: "a sandbox receipt was sent to production; ask the sandbox"
        case 21008: "a production receipt was sent to the sandbox; ask production"
        case 21010: "the account is not known, or was deleted"
        case 21100...21199: "the App Store had an internal error"
        default: "only 0 and 21006 carry data"
        }
    }
}

import Offers
import StrictJSON

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
    var latestTransactions: [Transaction] = []
    /// `receipt.in_app`, or the receipt itself where it is an iOS 6 style transaction receipt.
    var receiptTransactions: [Transaction] = []
    /// Whether the receipt is an iOS 6 style transaction receipt, which shows one subscription alone.
    var isTransactionReceipt = false
    /// `pending_renewal_info`; `nil` where the answer leaves it out.
    var pendingRenewals: [RenewalInfo]?
    /// The renewal of an iOS 6 style answer's subscription, which has members of its own (`auto_renew_status`,
    /// `expiration_intent`, `is_in_billing_retry_period`); `nil` where it says nothing.
    var ownRenewal: RenewalInfo?
}

extension VerifyReceiptResponse {
    func book(by source: Source) throws(EvidenceFault) -> Book {
        guard status == 0 || status == 21006 else {
            throw EvidenceFault(
                .rejected,
                code: "receipt_status",
                detail: "verifyReceipt answered with status \(status): \(Self.meaning(ofStatus: status)).",
                pointer: "/status"
            )
        }
        let joined = JoinedTransactions(latestTransactions, and: receiptTransactions)
        let entries = pendingRenewals ?? transactionReceiptRenewals ?? (hasReceipt ? [] : nil)
        var book = Book(
            Listing(
                bundleId: bundleId,
                environment: environment,
                asOf: requestDate,
                coverage: entries == nil ? .withoutEntries : coverage(joined),
                by: source
            )
        )
        book.add(rows: joined.transactions, entries: entries ?? [])
        return book
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

    /// The meaning of a status, for a sentence.
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

extension VerifyReceiptResponse {
    /// Numbers, strings and booleans stand for each other, and one object for a list of one.
    ///
    /// Apple's answers have had all of these forms. Members that decisions do not need are ignored.
    init(json: [UInt8], in range: Range<Int>? = nil) throws(EvidenceFault) {
        do throws(JSONFault) {
            var reader = JSONReader(json, in: range ?? json.indices, refusesDuplicates: false)
            try self.init(reading: &reader)
            try reader.readEnd()
        } catch {
            throw EvidenceFault(.malformed, code: error.code.rawValue, detail: error.detail, pointer: error.pointer)
        }
    }

    private init(reading reader: inout JSONReader) throws(JSONFault) {
        var status: Int64?
        var receipt = Receipt()
        var response = VerifyReceiptResponse(status: 0)
        // The list is kept apart until it is complete: in the response too, it would be copied for every element.
        var renewals: [RenewalInfo]?
        var own = RenewalInfo.unread
        try reader.readObject(ResponseMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .status: status = try reader.readAppleInteger()
            case .isRetryable, .isRetryableUnderscored: response.isRetryable = try reader.readAppleFlag()
            case .environment:
                response.environment = try reader.readAppleText().flatMap(AppStoreEnvironment.init(rawValue:))
            case .receipt:
                guard try reader.nextType() == .object else {
                    try reader.skipValue()
                    return
                }
                receipt = try Receipt(reading: &reader)
                response.hasReceipt = true
            case .latestReceiptInfo, .latestExpiredReceiptInfo:
                try reader.readOneOrMany { (reader) throws(JSONFault) in
                    guard response.latestTransactions.count < Self.maximumTransactions else {
                        throw .tooMany(Self.maximumTransactions)
                    }
                    response.latestTransactions.append(try Transaction(reading: &reader))
                }
            case .pendingRenewalInfo:
                guard try reader.nextType() != .null else {
                    try reader.skipValue()
                    return
                }
                if renewals == nil { renewals = [] }
                try reader.readOneOrMany { (reader) throws(JSONFault) in
                    guard renewals?.count ?? 0 < Self.maximumRenewals else { throw .tooMany(Self.maximumRenewals) }
                    renewals?.append(try RenewalInfo(reading: &reader))
                }
            case .autoRenewStatus:
                own.autoRenewStatus = try reader.readAppleFlag()
                response.ownRenewal = own
            case .expirationIntent:
                try reader.readAppleIntent(into: &own)
                response.ownRenewal = own
            case .isInBillingRetryPeriod:
                own.isInBillingRetryPeriod = try reader.readAppleFlag() ?? false
                response.ownRenewal = own
            case nil: try reader.skipValue()
            }
        }
        guard let status else {
            throw JSONFault(.missingMember, "A verifyReceipt answer has a status.").inside(member: "status")
        }
        response.status = status
        response.pendingRenewals = renewals
        response.environment = response.environment ?? receipt.environment
        response.bundleId = receipt.bundleId
        response.requestDate = receipt.requestDate
        response.receiptTransactions = receipt.transactions
        response.isTransactionReceipt = receipt.isTransaction
        self = response
    }
}

extension JSONFault {
    /// A list is longer than any of Apple's.
    static func tooMany(_ limit: Int) -> JSONFault {
        JSONFault(.invalidValue, "A verifyReceipt answer may have \(limit) of them.")
    }
}

/// The members of an answer that count.
private enum ResponseMember: String, CaseIterable {
    case status
    case isRetryable = "is-retryable"
    case isRetryableUnderscored = "is_retryable"
    case environment
    case receipt
    case latestReceiptInfo = "latest_receipt_info"
    case latestExpiredReceiptInfo = "latest_expired_receipt_info"
    case pendingRenewalInfo = "pending_renewal_info"
    // Members of an iOS 6 style answer, which has no pending_renewal_info.
    case autoRenewStatus = "auto_renew_status"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"

    static let table = JSONMembers(ResponseMember.self)
}

extension RenewalInfo {
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var info = RenewalInfo.unread
        var grace = AppleDateFields()
        var promotionalOfferId: String?
        var offerCodeName: String?
        var priceIncreaseStatus: String?
        var priceConsentStatus: String?
        try reader.readObject(PendingRenewalMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .originalTransactionId: info.originalTransactionId = try reader.readAppleIdentifier()
            case .productId: info.productId = try reader.readAppleIdentifier()
            case .group: info.subscriptionGroupIdentifier = try reader.readAppleIdentifier()
            case .autoRenewStatus: info.autoRenewStatus = try reader.readAppleFlag()
            case .expirationIntent: try reader.readAppleIntent(into: &info)
            case .priceIncreaseStatus: priceIncreaseStatus = try reader.readAppleText()
            case .priceConsentStatus: priceConsentStatus = try reader.readAppleText()
            case .isInBillingRetryPeriod: info.isInBillingRetryPeriod = try reader.readAppleFlag() ?? false
            case .gracePeriodExpiresDate: grace.milliseconds = try reader.readAppleDate()
            case .gracePeriodExpiresDateText: try grace.readText(from: &reader)
            case .promotionalOfferId: promotionalOfferId = try reader.readAppleIdentifier()
            case .offerCodeName: offerCodeName = try reader.readAppleIdentifier()
            case nil: try reader.skipValue()
            }
        }
        info.gracePeriodExpiresDate = try grace.value(named: PendingRenewalMember.gracePeriodExpiresDateText.rawValue)
        info.offer = promotionalOfferId.map(RedeemedOffer.promotional) ?? offerCodeName.map(RedeemedOffer.offerCode)
        info.priceIncrease = PriceIncrease(priceIncreaseStatus ?? priceConsentStatus)
        self = info
    }
}

/// The members of an element of `pending_renewal_info` that count.
private enum PendingRenewalMember: String, CaseIterable {
    case originalTransactionId = "original_transaction_id"
    case productId = "product_id"
    case group = "subscription_group_identifier"
    case autoRenewStatus = "auto_renew_status"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"
    case gracePeriodExpiresDate = "grace_period_expires_date_ms"
    case gracePeriodExpiresDateText = "grace_period_expires_date"
    case promotionalOfferId = "promotional_offer_id"
    case offerCodeName = "offer_code_ref_name"
    case priceIncreaseStatus = "price_increase_status"
    case priceConsentStatus = "price_consent_status"

    static let table = JSONMembers(PendingRenewalMember.self)
}

import Offers
import StrictJSON

extension VerifyReceiptResponse {
    /// Reads an answer's text.
    ///
    /// Numbers, strings and booleans stand for each other, and one object for a list of one: Apple's answers have had
    /// all of these forms. Members that decisions do not need are ignored.
    ///
    /// - Parameters:
    ///   - json: The text of one JSON object, and what is around it.
    ///   - range: Where the object is; all of the text by default.
    /// - Throws: `EvidenceFault` when it is no verifyReceipt answer.
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
        // Not a member of the response meanwhile: a list of which there is another copy is copied for every element.
        var renewals: [RenewalInfo]?
        var own = RenewalInfo(originalTransactionId: nil, productId: nil)
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
                own.hasExpirationIntent = try reader.readAppleIntent()
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
    ///
    /// - Parameter limit: How many it may have.
    /// - Returns: The fault.
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
    // Of an iOS 6 style answer, which has no pending_renewal_info.
    case autoRenewStatus = "auto_renew_status"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"

    static let table = JSONMembers(ResponseMember.self)
}

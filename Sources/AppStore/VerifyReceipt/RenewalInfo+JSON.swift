import Offers
import StrictJSON

extension RenewalInfo {
    /// Reads an element of `pending_renewal_info`.
    ///
    /// - Parameter reader: The reader, at the element.
    /// - Throws: `JSONFault` when a member that counts cannot be read.
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var info = RenewalInfo(originalTransactionId: nil, productId: nil)
        var grace = AppleDateFields()
        var promotionalOfferId: String?
        var offerCodeName: String?
        try reader.readObject(PendingRenewalMember.table) { (member, reader) throws(JSONFault) in
            switch member {
            case .originalTransactionId: info.originalTransactionId = try reader.readAppleIdentifier()
            case .productId: info.productId = try reader.readAppleIdentifier()
            case .group: info.subscriptionGroupIdentifier = try reader.readAppleIdentifier()
            case .autoRenewStatus: info.autoRenewStatus = try reader.readAppleFlag()
            case .expirationIntent: info.hasExpirationIntent = try reader.readAppleIntent()
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

    static let table = JSONMembers(PendingRenewalMember.self)
}

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
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "original_transaction_id": info.originalTransactionId = try reader.readAppleText()
            case "product_id": info.productId = try reader.readAppleText()
            case "subscription_group_identifier": info.subscriptionGroupIdentifier = try reader.readAppleText()
            case "auto_renew_status": info.autoRenewStatus = try reader.readAppleFlag()
            case "expiration_intent":
                let intent = try reader.readAppleText()
                info.hasExpirationIntent = intent != nil && intent != "0"
            case "is_in_billing_retry_period": info.isInBillingRetryPeriod = try reader.readAppleFlag() ?? false
            case "grace_period_expires_date_ms": grace.milliseconds = try reader.readAppleDate()
            case "grace_period_expires_date": grace.text = try reader.readAppleDate()
            case "promotional_offer_id": info.promotionalOfferId = try reader.readAppleText()
            default: try reader.skipValue()
            }
        }
        info.gracePeriodExpiresDate = grace.value
        self = info
    }
}

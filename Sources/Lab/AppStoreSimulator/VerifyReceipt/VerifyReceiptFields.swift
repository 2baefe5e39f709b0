import Foundation
import Offers
import StrictJSON

/// The members of verifyReceipt's answers, as Apple shapes them: strings throughout.
enum VerifyReceiptFields {
    /// Writes an element of `latest_receipt_info` or of `in_app`, which has fewer members.
    static func transaction(_ transaction: StoreTransaction, isInApp: Bool = false, into json: inout JSONWriter) {
        json.object { json in
            writePurchase(transaction, into: &json)
            AppleDates.write("expires_date", transaction.expiresDate, into: &json)
            writeItem(transaction, into: &json)
            json.member("in_app_ownership_type", transaction.ownership.rawValue)
            AppleDates.write("cancellation_date", transaction.revocation?.date, into: &json)
            json.optional("cancellation_reason", transaction.revocation.map { String($0.reason) })
            if transaction.offer?.kind == .promotional { json.optional("promotional_offer_id", transaction.offer?.id) }
            guard !isInApp else { return }
            json.optional("app_account_token", transaction.appAccountToken)
            if transaction.isUpgraded { json.member("is_upgraded", "true") }
            json.member("subscription_group_identifier", transaction.groupId)
        }
    }

    /// Writes an element of `pending_renewal_info`: without the group, as Apple does, whatever its article says.
    static func renewal(_ subscription: StoreSubscription, into json: inout JSONWriter) {
        json.object { json in
            json.member("auto_renew_product_id", subscription.nextProductId)
            json.member("product_id", subscription.latest.productId)
            json.member("original_transaction_id", subscription.originalTransactionId)
            json.member("auto_renew_status", subscription.renewsNextPeriod ? "1" : "0")
            json.optional("expiration_intent", subscription.expirationIntent.map { String($0) })
            if subscription.status != 1 {
                json.member("is_in_billing_retry_period", subscription.isInBillingRetryPeriod ? "1" : "0")
            }
            AppleDates.write("grace_period_expires_date", subscription.gracePeriodExpires, into: &json)
            if let offer = subscription.nextOffer, offer.kind == .promotional {
                json.optional("promotional_offer_id", offer.id)
            }
        }
    }

    private static func writePurchase(_ transaction: StoreTransaction, into json: inout JSONWriter) {
        json.member("quantity", String(transaction.quantity))
        json.member("product_id", transaction.productId)
        json.member("transaction_id", transaction.transactionId)
        json.member("original_transaction_id", transaction.originalTransactionId)
        AppleDates.write("purchase_date", transaction.purchaseDate, into: &json)
        AppleDates.write("original_purchase_date", transaction.originalPurchaseDate, into: &json)
    }

    private static func writeItem(_ transaction: StoreTransaction, into json: inout JSONWriter) {
        json.member("web_order_line_item_id", transaction.webOrderLineItemId)
        let isIntroductory = transaction.offer?.kind == .introductory
        let isTrial = isIntroductory && transaction.offer?.mode == .freeTrial
        json.member("is_trial_period", isTrial ? "true" : "false")
        json.member("is_in_intro_offer_period", isIntroductory && !isTrial ? "true" : "false")
    }

    /// Writes the one object of an iOS 6 style receipt, with dates in milliseconds.
    static func oldStyle(
        _ transaction: StoreTransaction,
        of app: StoreApp,
        _ customer: StoreCustomer,
        into json: inout JSONWriter
    ) {
        json.object { json in
            json.member("bid", app.bundleId)
            json.member("bvrs", "1")
            json.member("item_id", String(app.appAppleId))
            json.member("unique_identifier", customer.name)
            writePurchase(transaction, into: &json)
            json.member("expires_date", String(transaction.expiresDate.millisecondsSince1970))
            json.member("expires_date_formatted", AppleDates.inGMT(transaction.expiresDate))
            writeItem(transaction, into: &json)
            AppleDates.write("cancellation_date", transaction.revocation?.date, into: &json)
        }
    }
}

/// The three ways in which verifyReceipt writes each date.
enum AppleDates {
    private static let losAngeles = TimeZone(identifier: "America/Los_Angeles")

    /// Writes a date as text in GMT, in milliseconds (`_ms`) and as text in Pacific time (`_pst`).
    static func write(_ name: String, _ moment: Timestamp?, into json: inout JSONWriter) {
        guard let moment else { return }
        json.member(named: name)
        json.string(text(moment) + " Etc/GMT")
        json.member(named: name + "_ms")
        json.string(String(moment.millisecondsSince1970))
        // Without time zone data on the machine, Pacific Standard Time all year round.
        let offset = losAngeles?.secondsFromGMT(for: moment.date) ?? -8 * 3600
        json.member(named: name + "_pst")
        json.string(text(moment.adding(seconds: Int64(offset))) + " America/Los_Angeles")
    }

    /// Such as `2026-01-20 10:00:00 Etc/GMT`.
    static func inGMT(_ moment: Timestamp) -> String { text(moment) + " Etc/GMT" }

    private static func text(_ moment: Timestamp) -> String {
        String(moment.rfc3339.dropLast()).replacing("T", with: " ")
    }
}

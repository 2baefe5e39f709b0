import Foundation

/// verifyReceipt answers for the tests' catalog, dated now.
enum Customers {
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    static var active: String { receipt(expiringIn: 20, entry: #""auto_renew_status":"1""#) }

    static var lapsed: String { receipt(expiringIn: -20, entry: #""auto_renew_status":"0","expiration_intent":"1""#) }

    static var neverSubscribed: String {
        #"""
        {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":
        "com.example.reader","request_date_ms":"\#(now)","in_app":[]}}
        """#
    }

    /// A request of a lapsed customer for offers on `pro.monthly`.
    ///
    /// - Parameter offers: The offers' identifiers.
    /// - Returns: The body.
    static func lapsedRequest(offers: [String]) -> String {
        let list = offers.map { #"{"productId":"pro.monthly","offerId":"\#($0)"}"# }.joined(separator: ",")
        return #"{"evidence":{"receiptResponse":\#(lapsed)},"offers":[\#(list)]}"#
    }

    private static func receipt(expiringIn days: Int64, entry: String) -> String {
        #"""
        {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":
        "com.example.reader","request_date_ms":"\#(now)","in_app":[]},
        "latest_receipt_info":[{"original_transaction_id":"1","transaction_id":"1","product_id":"pro.monthly",
        "purchase_date_ms":"\#(now - 40 * 86_400_000)","expires_date_ms":"\#(now + days * 86_400_000)"}],
        "pending_renewal_info":[{"original_transaction_id":"1","product_id":"pro.monthly",\#(entry)}]}
        """#
    }
}

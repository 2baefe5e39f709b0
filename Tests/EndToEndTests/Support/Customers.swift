import Foundation
import Synchronization

/// verifyReceipt answers for the tests' catalog, dated now.
enum Customers {
    private static let last = Atomic(1000)

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    static var active: String { active("1") }
    static var lapsed: String { lapsed("1") }

    static func active(_ transaction: String) -> String {
        receipt(transaction, expiringIn: 20, entry: #""auto_renew_status":"1""#)
    }

    static func lapsed(_ transaction: String) -> String {
        receipt(transaction, expiringIn: -20, entry: #""auto_renew_status":"0","expiration_intent":"1""#)
    }

    static var neverSubscribed: String {
        #"""
        {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":
        "com.example.reader","request_date_ms":"\#(now)","in_app":[]}}
        """#
    }

    /// A transaction that no other test shows: a ledger refuses one that many accounts show.
    static func transaction() -> String { "\(last.add(1, ordering: .relaxed).newValue)" }

    /// A request of a subscriber for `anyone` on `pro.monthly`, without an account by default.
    static func request(_ account: String? = nil, _ evidence: String? = nil) -> String {
        let name = account.map { #""applicationUsername":"\#($0)","# } ?? ""
        return #"{\#(name)"evidence":{\#(evidence ?? #""receiptResponse":\#(active)"#)},\#(offers("anyone"))}"#
    }

    /// A request of a lapsed customer for offers on `pro.monthly`.
    static func lapsedRequest(offers: [String]) -> String {
        #"{"evidence":{"receiptResponse":\#(lapsed)},\#(Self.offers(offers))}"#
    }

    /// The member of a request that lists offers of `pro.monthly`.
    static func offers(_ ids: String...) -> String { offers(ids) }

    private static func offers(_ ids: [String]) -> String {
        #""offers":[\#(ids.map { #"{"productId":"pro.monthly","offerId":"\#($0)"}"# }.joined(separator: ","))]"#
    }

    private static func receipt(_ transaction: String, expiringIn days: Int64, entry: String) -> String {
        #"""
        {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":
        "com.example.reader","request_date_ms":"\#(now)","in_app":[]},
        "latest_receipt_info":[{"original_transaction_id":"\#(transaction)","transaction_id":"\#(transaction)",
        "product_id":"pro.monthly","purchase_date_ms":"\#(now - 40 * 86_400_000)",
        "expires_date_ms":"\#(now + days * 86_400_000)"}],
        "pending_renewal_info":[{"original_transaction_id":"\#(transaction)","product_id":"pro.monthly",\#(entry)}]}
        """#
    }
}

import AppStore
import Offers
import Testing

@Suite("verifyReceipt answers that are refused")
struct VerifyReceiptFaultTests {
    private func read(_ json: String) throws(EvidenceFault) -> Book {
        try AppStoreEvidenceReader().book(from: .receiptResponse(json: Array(json.utf8)))
    }

    @Test(
        "A status that carries no data is a refusal by Apple",
        arguments: [21000, 21002, 21003, 21004, 21005, 21007, 21008, 21009, 21010, 21100, 21199, 1, -1]
    )
    func status(status: Int) {
        let fault = #expect(throws: EvidenceFault.self) { try read(#"{"status":\#(status),"receipt":{}}"#) }
        #expect(fault?.kind == .rejected)
        #expect(fault?.code == "receipt_status")
        #expect(fault?.pointer == "/status")
        #expect(fault?.detail.contains("\(status)") == true)
    }

    @Test(
        "A member that cannot be read is malformed, with a pointer to it",
        arguments: [
            ("[]", ""), ("{}", "/status"), (#"{"status":"zero"}"#, "/status"), (#"{"status":true}"#, "/status"),
            (#"{"status":0"#, ""), (#"{"status":0} {}"#, ""),
            (#"{"status":0,"latest_receipt_info":"none"}"#, "/latest_receipt_info"),
            (#"{"status":0,"latest_receipt_info":[1]}"#, "/latest_receipt_info/0"),
            (
                #"{"status":0,"latest_receipt_info":[{},{"expires_date_ms":"soon"}]}"#,
                "/latest_receipt_info/1/expires_date_ms"
            ),
            (#"{"status":0,"latest_receipt_info":[{"is_upgraded":"maybe"}]}"#, "/latest_receipt_info/0/is_upgraded"),
            (#"{"status":0,"latest_receipt_info":[{"product_id":{}}]}"#, "/latest_receipt_info/0/product_id"),
            (
                #"{"status":0,"latest_receipt_info":[{"app_account_token":"x"}]}"#,
                "/latest_receipt_info/0/app_account_token"
            ),
            (
                #"{"status":0,"pending_renewal_info":[{"auto_renew_status":2}]}"#,
                "/pending_renewal_info/0/auto_renew_status"
            ),
            (#"{"status":0,"receipt":{"request_date_ms":1e300}}"#, "/receipt/request_date_ms"),
            (#"{"status":0,"receipt":{"bundle_id":"\#(String(repeating: "a", count: 256))"}}"#, "/receipt/bundle_id"),
            (#"{"status":0,"receipt":{"bid":"a\n"}}"#, "/receipt/bid"),
            (#"{"status":0,"receipt":{"request_date":"soon"}}"#, "/receipt/request_date"),
            (
                #"{"status":0,"latest_receipt_info":[{"original_transaction_id":"5\u00008"}]}"#,
                "/latest_receipt_info/0/original_transaction_id"
            ),
            (
                #"{"status":0,"latest_receipt_info":[{"transaction_id":"\#(String(repeating: "1", count: 256))"}]}"#,
                "/latest_receipt_info/0/transaction_id"
            ),
            (
                #"{"status":0,"latest_receipt_info":[{"promotional_offer_id":"\u007f"}]}"#,
                "/latest_receipt_info/0/promotional_offer_id"
            ),
            (
                #"{"status":0,"pending_renewal_info":[{"promotional_offer_id":"q\n"}]}"#,
                "/pending_renewal_info/0/promotional_offer_id"
            ),
            (
                #"{"status":0,"receipt":{"in_app":[{"expires_date":"2014-13-12 10:18:05 Etc/GMT"}]}}"#,
                "/receipt/in_app/0/expires_date"
            ),
            (
                #"{"status":0,"latest_receipt_info":[{"cancellation_date":"soon","cancellation_date_ms":""}]}"#,
                "/latest_receipt_info/0/cancellation_date"
            ),
            (#"{"status":0,"receipt":{"product_id":"p","purchase_date":{}}}"#, "/receipt/purchase_date"),
            (
                #"{"status":0,"pending_renewal_info":[{"grace_period_expires_date":"soon"}]}"#,
                "/pending_renewal_info/0/grace_period_expires_date"
            ),
            (
                #"{"status":0,"latest_receipt_info":[{"expires_date_ms":"1","expires_date":[}]}]}"#,
                "/latest_receipt_info/0/expires_date"
            ),
        ]
    )
    func malformed(json: String, pointer: String) {
        let fault = #expect(throws: EvidenceFault.self) { try read(json) }
        #expect(fault?.kind == .malformed)
        #expect(fault?.pointer == pointer)
    }

    private static let lists = [
        ("latest_receipt_info", "/latest_receipt_info", 5000), ("pending_renewal_info", "/pending_renewal_info", 1000),
        ("in_app", "/receipt/in_app", 5000),
    ]

    private func answer(_ list: String, of elements: [String]) -> String {
        let member = "\"\(list)\":[\(elements.joined(separator: ","))]"
        return list == "in_app" ? "{\"status\":0,\"receipt\":{\(member)}}" : "{\"status\":0,\(member)}"
    }

    @Test(
        "A list that is longer than any of Apple's is refused where it is too long, before all of it is kept",
        arguments: lists
    )
    func long(list: String, pointer: String, limit: Int) throws {
        let elements = Array(repeating: #"{"product_id":"p"}"#, count: limit)
        _ = try read(answer(list, of: elements))
        let fault = #expect(throws: EvidenceFault.self) { try read(answer(list, of: elements + ["{}", "no object"])) }
        #expect(fault?.kind == .malformed)
        #expect(fault?.pointer == "\(pointer)/\(limit)")
    }

    @Test("A list that is there again and again is as long as all of it together")
    func repeated() throws {
        for (list, limit) in [("latest_receipt_info", 5000), ("pending_renewal_info", 1000)] {
            let member = Array(repeating: "\"\(list)\":{\"product_id\":\"p\"}", count: limit).joined(separator: ",")
            _ = try read("{\"status\":0,\(member)}")
            let fault = #expect(throws: EvidenceFault.self) { try read("{\"status\":0,\(member),\"\(list)\":{}}") }
            #expect(fault?.pointer == "/\(list)")
        }
    }
}

import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Customers who are made up")
struct MadeUpCustomerTests {
    @Test(
        "Each is in the state that is asked for, by signed transactions as by verifyReceipt, with identifiers of its own",
        arguments: [
            (.lapsed, 0, 1, true), (.activeAutoRenewOff, 0, nil, false), (.active, 1, nil, false),
            (.billingRetry, 1, 2, true), (.gracePeriod, 1, 2, true),
        ] as [(CustomerState, Int, Int?, Bool)]
    )
    func states(state: CustomerState, autoRenewStatus: Int, intent: Int?, hasExpired: Bool) throws {
        let now = TestStore.now.millisecondsSince1970
        let id = "9876543210123456"
        let customer = MadeUpCustomer(
            9_876_543_210_123_456,
            of: "com.example.app",
            productId: "monthly",
            state,
            atMilliseconds: now
        )
        let payloads = try customer.signedPayloads.map { try JSON.object($0) }
        #expect(payloads.map { $0["originalTransactionId"] as? String } == [id, id])
        #expect(payloads[0]["transactionId"] as? String == id)
        let expires = try #require(payloads[0]["expiresDate"] as? Int64)
        #expect((expires < now) == hasExpired)
        #expect(payloads[1]["autoRenewStatus"] as? Int == autoRenewStatus)
        #expect(payloads[1]["expirationIntent"] as? Int == intent)

        let answer = try JSON.object(customer.receiptResponse)
        let entry = try #require((answer["pending_renewal_info"] as? [[String: String]])?.first)
        #expect(entry["auto_renew_status"] == "\(autoRenewStatus)")
        #expect(entry["expiration_intent"] == intent.map { "\($0)" })
        let rows = try #require(answer["latest_receipt_info"] as? [[String: String]])
        #expect(rows.map { $0["transaction_id"] } == [id + "1", id])
        #expect(
            rows.allSatisfy {
                $0["original_transaction_id"] == id && $0["web_order_line_item_id"]?.contains(id) == true
            }
        )
        #expect((1800...2600).contains(customer.receiptResponse.count), "\(customer.receiptResponse.count) bytes")
    }
}

import Foundation
import Testing

/// The end of verifyReceipt, as the stand-in App Store plays it for ever.
struct ReceiptsEnd: CustomTestStringConvertible, Sendable {
    let fault: String
    /// The words of an answer, the wait that it asks for, and what the calls are counted as.
    let detail: String
    let retryAfter: String
    let status: String

    var testDescription: String { status }

    static let all = [
        Self(fault: #""httpStatus":410"#, detail: "HTTP 410", retryAfter: "5", status: "410"),
        Self(fault: #""outage":true"#, detail: "cannot be reached", retryAfter: "5", status: "connection"),
        Self(fault: #""receiptStatus":21199"#, detail: "status 21199", retryAfter: "60", status: "21199"),
    ]
}

@Suite("When verifyReceipt has ended")
struct VerifyReceiptEndTests {
    @Test(
        "Held state answers, a customer of whom nothing is held gets a reason and a time, and the operator has both",
        arguments: ReceiptsEnd.all
    )
    func ended(_ end: ReceiptsEnd) throws {
        let installation = try Installation()
        let customers = ["known", "unknown"].map { name in
            "{ name: \(name), subscriptions: [{ product: pro.monthly, state: lapsed }] }"
        }
        let appStore = try RunningAppStore(for: installation, customers: "[\(customers.joined(separator: ", "))]")
        try installation.ask(
            appStore,
            app: "    appStoreCacheSeconds: 0\n",
            products: "{ id: pro.monthly, offers: [{ id: anyone }] }"
        )
        let service = try RunningService(installation)
        func sign(_ customer: String, as account: String) throws -> Response {
            let receipt = try appStore.ask("GET", "/simulator/customers/\(customer)").json["receipt"] as? String ?? ""
            return try service.sign(
                #"{"appAccountToken":"\#(account)","evidence":{"receipt":"\#(receipt)"},"#
                    + #""offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
            )
        }
        let account = UUID().uuidString
        #expect(try sign("known", as: account).decisions.first?["reason"] as? String == "lapsed")
        try appStore.show(fault: #"{"target":"verifyReceipt",\#(end.fault)}"#)

        let refused = try sign("unknown", as: UUID().uuidString)
        #expect(refused.summary == "503 app_store_unavailable")
        #expect((refused.json["detail"] as? String)?.contains(end.detail) == true, "\(refused.json)")
        #expect(refused.headers["retry-after"] == end.retryAfter)
        let held = try sign("known", as: account).decisions.first
        #expect(held?["reason"] as? String == "lapsed")
        #expect(held?["discount"] != nil)

        let status = #"environment="Production",status="\#(end.status)",app="com.example.reader"}"#
        let calls = #"offer_signer_app_store_calls_total{service="verifyReceipt","# + status
        #expect(try service.metrics()[calls] ?? 0 >= 2)
        let lines = try service.logLines().filter { line in
            let words = line.values.map { "\($0)" }
            return words.contains(end.status) && words.contains { $0.contains("verifyReceipt") }
        }
        #expect(lines.count == 1, "one a minute: \(service.log)")
    }
}

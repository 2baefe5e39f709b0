import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("verifyReceipt")
struct VerifyReceiptAnswerTests {
    private let signer: AppStoreSigner

    init() throws { signer = try TestStore.signing() }

    private func answer(
        _ receipt: String,
        password: String? = nil,
        in environment: AppStoreEnvironment = .production,
        excludingOld: Bool = false,
        world: AppStoreWorld
    ) throws -> [String: Any] {
        var body: [String: Any] = ["receipt-data": receipt, "exclude-old-transactions": excludingOld, "unknown": [1]]
        body["password"] = password
        let json = Array(try JSON.text(body).utf8)
        return try JSON.object(VerifyReceiptAnswer.answer(json, in: environment, world: world, signer: signer))
    }

    private func receipt(of world: AppStoreWorld) throws -> String {
        try StoreReceipt.text(of: try #require(world.customer("c")), at: world.clock.now, signer: signer)
    }

    @Test("Each way of going wrong has Apple's status")
    func statuses() throws {
        let world = try TestStore.world(state: "lapsed", app: "sharedSecret: \(TestStore.secret)")
        let receipt = try receipt(of: world)
        func status(_ receipt: String, _ password: String?, _ environment: AppStoreEnvironment) throws -> Int? {
            try answer(receipt, password: password, in: environment, world: world)["status"] as? Int
        }
        #expect(try status(receipt, TestStore.secret, .production) == 0)
        #expect(try status(receipt, "wrong", .production) == 21004)
        #expect(try status(receipt, nil, .production) == 21004)
        #expect(try status(receipt, TestStore.secret, .sandbox) == 21008)
        #expect(try status("AAAA", TestStore.secret, .production) == 21002)
        for body in ["", "{}", "[]", #"{"receipt-data":1}"#] {
            let json = VerifyReceiptAnswer.answer(Array(body.utf8), in: .production, world: world, signer: signer)
            #expect(try JSON.object(json)["status"] as? Int == 21002)
        }
        let other = AppStoreSigner(key: try CertificateAuthority().leafKey, chain: signer.chain)
        let forged = try StoreReceipt.text(of: try #require(world.customer("c")), at: world.clock.now, signer: other)
        #expect(try status(forged, TestStore.secret, .production) == 21003)
        let gone = try TestStore.world()
        #expect(try answer(receipt, world: gone)["status"] as? Int == 21010)
        let sandbox = try TestStore.world("[{ name: c, environment: Sandbox }]")
        #expect(try answer(try self.receipt(of: sandbox), world: sandbox)["status"] as? Int == 21007)
    }

    @Test("Every member of the lists is a string, and the group is only where Apple has it")
    func shape() throws {
        let world = try TestStore.world(state: "lapsed", more: ", introductory: true, redeemed: [half]")
        let answer = try answer(try receipt(of: world), world: world)
        let latest = try #require(answer["latest_receipt_info"] as? [[String: String]])
        let pending = try #require(answer["pending_renewal_info"] as? [[String: String]])
        let receipt = try #require(answer["receipt"] as? [String: Any])
        let inApp = try #require(receipt["in_app"] as? [[String: String]])
        #expect(latest.map { $0["subscription_group_identifier"] } == ["100", "100"])
        #expect(inApp.allSatisfy { $0["subscription_group_identifier"] == nil })
        #expect(pending.count == 1)
        #expect(pending[0]["subscription_group_identifier"] == nil)
        #expect(pending[0]["auto_renew_status"] == "0")
        #expect(pending[0]["expiration_intent"] == "1")
        #expect(pending[0]["original_transaction_id"] == latest[0]["original_transaction_id"])
        #expect(latest.map { $0["is_trial_period"] } == ["false", "true"])
        #expect(latest.map { $0["promotional_offer_id"] } == ["half", nil])
        #expect(answer["environment"] as? String == "Production")
        #expect(receipt["bundle_id"] as? String == "com.example.app")
        let milliseconds = try #require(Int64(receipt["request_date_ms"] as? String ?? ""))
        #expect(abs(milliseconds - world.clock.now.millisecondsSince1970) < 60_000)
    }

    @Test("Dates are written in GMT, in milliseconds and in Pacific time, summer and winter")
    func dates() throws {
        let world = try TestStore.world(
            "[{ name: c, subscriptions: [{ product: monthly, state: lapsed, periods: 7, expiresAt: 2026-01-20T09:00:00Z }] }]",
            clock: TestStore.now
        )
        let answer = try answer(try receipt(of: world), world: world)
        let latest = try #require(answer["latest_receipt_info"] as? [[String: String]])
        #expect(latest.first?["expires_date"] == "2026-01-20 09:00:00 Etc/GMT")
        #expect(latest.first?["expires_date_ms"] == "1768899600000")
        #expect(latest.first?["expires_date_pst"] == "2026-01-20 01:00:00 America/Los_Angeles")
        #expect(latest.last?["expires_date_pst"] == "2025-07-20 02:00:00 America/Los_Angeles")
    }

    @Test(
        "The renewal of each state",
        arguments: [
            ("active", "1", nil, nil, false), ("gracePeriod", "1", "2", "1", true),
            ("billingRetry", "1", "2", "1", false), ("refunded", "0", nil, "0", false),
        ] as [(String, String, String?, String?, Bool)]
    )
    func renewals(state: String, renews: String, intent: String?, retry: String?, grace: Bool) throws {
        let world = try TestStore.world(state: state)
        let answer = try answer(try receipt(of: world), world: world)
        let entry = try #require((answer["pending_renewal_info"] as? [[String: String]])?.first)
        #expect(entry["auto_renew_status"] == renews)
        #expect(entry["expiration_intent"] == intent)
        #expect(entry["is_in_billing_retry_period"] == retry)
        #expect((entry["grace_period_expires_date_ms"] != nil) == grace)
        let latest = try #require((answer["latest_receipt_info"] as? [[String: String]])?.first)
        #expect((latest["cancellation_date_ms"] != nil) == (state == "refunded"))
    }

    @Test("A customer without purchases has neither list; old transactions can be left out")
    func lists() throws {
        let newcomer = try TestStore.world("[{ name: c }]")
        let empty = try answer(try receipt(of: newcomer), world: newcomer)
        #expect(empty["status"] as? Int == 0)
        #expect(empty["latest_receipt_info"] == nil)
        #expect(empty["pending_renewal_info"] == nil)
        let world = try TestStore.world(state: "active", more: ", periods: 5")
        let all = try answer(try receipt(of: world), world: world)
        let latest = try answer(try receipt(of: world), excludingOld: true, world: world)
        #expect((all["latest_receipt_info"] as? [Any])?.count == 5)
        #expect((latest["latest_receipt_info"] as? [Any])?.count == 1)
    }

    @Test("An iOS 6 style receipt is answered with one object; expired, with status 21006 and its data")
    func oldStyle() throws {
        for (state, status, name) in [
            ("active", 0, "latest_receipt_info"), ("lapsed", 21006, "latest_expired_receipt_info"),
        ] {
            let world = try TestStore.world(state: state)
            let customer = try #require(world.customer("c"))
            let transaction = try #require(customer.transactions.last)
            let receipt = TransactionReceipt.text(of: transaction, customer: customer, signer: signer)
            let answer = try answer(receipt, world: world)
            #expect(answer["status"] as? Int == status)
            #expect((answer["receipt"] as? [String: String])?["bid"] == "com.example.app")
            let latest = try #require(answer[name] as? [String: String])
            #expect(latest["transaction_id"] == customer.transactions.first?.transactionId)
            #expect(
                Int64(latest["expires_date"] ?? "") == customer.transactions.first?.expiresDate.millisecondsSince1970
            )
            #expect(answer["pending_renewal_info"] == nil)
        }
    }
}

import ChildProcess
import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("Customers who are about to cancel", .serialized, .timeLimit(.minutes(20)))
struct RetentionMessagesTests {
    private let silent: FakeServer

    init() throws { silent = try FakeServer { _ in .init(404, #"{"errorCode":4040010,"errorMessage":"none"}"#) } }

    @Test("A subscriber gets the offer, signed for the subscription that Apple asks about, and it is on record")
    func offer() throws {
        let scene = try RetentionScene(asking: silent)
        let service = try RunningService(scene.installation)
        // Dated weeks ago, and paid for days to come.
        try scene.notify(service, of: "1000", signed: 20, account: RetentionScene.account)
        let response = try service.retention(scene.call("1000", locale: "de-AT"))
        #expect(response.status == 200, "\(response.json)")
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.json.keys.sorted() == ["promotionalOffer"])
        #expect(response.messageIdentifier == RetentionScene.german)
        let claims = try scene.claims(of: try #require(response.offerJWS))
        #expect(claims["iss"] as? String == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(claims["aud"] as? String == "promotional-offer")
        #expect(claims["bid"] as? String == Installation.bundleId)
        #expect(claims["productId"] as? String == "pro.monthly")
        #expect(claims["offerIdentifier"] as? String == "stay30")
        #expect(claims["transactionId"] as? String == "1000")
        #expect(claims["exp"] == nil)
        let issued = try #require(claims["iat"] as? Int64)
        #expect(abs(issued - RetentionScene.now / 1000) < 300)
        let records = try scene.installation.records()
        #expect(records.count == 1)
        #expect(records.first?["client"] as? String == "retention")
        #expect(records.first?["nonce"] as? String == claims["nonce"] as? String)
        #expect(records.first?["originalTransactionId"] as? String == "1000")
        #expect(records.first?["reason"] as? String == "active")
        let metrics = try service.metrics()
        #expect(
            metrics[#"offer_signer_retention_calls_total{answer="promotional_offer",reason="rule"}"#] == 1,
            "\(metrics.keys.filter { $0.contains("retention") })"
        )
        #expect(metrics["offer_signer_retention_timeout_seconds"] == 0.5)
        #expect(metrics["offer_signer_retention_call_duration_seconds_count"] == 1)
        #expect(silent.requests.isEmpty)

        // Who takes the offer has redeemed this signature, by whichever type Apple says it was.
        for (id, type) in [("1000", 2), ("1001", 5)] {
            let redeemed = #","offerType":\#(type),"offerIdentifier":"stay30","price":1990,"currency":"USD""#
            if id == "1001" {
                try scene.notify(service, of: id, account: nil)
                #expect(try service.retention(scene.call(id)).offerJWS != nil)
            }
            let notification = try scene.notification(
                transaction: scene.signer.sign(
                    #"""
                    {"transactionId":"\#(id)9","originalTransactionId":"\#(id)","bundleId":"\#(Installation.bundleId)",
                    "productId":"pro.monthly","subscriptionGroupIdentifier":"20900001","purchaseDate":\#(RetentionScene.now + 1),
                    "expiresDate":\#(RetentionScene.now + RetentionScene.days(30)),"type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED",
                    "environment":"Production"\#(redeemed),"signedDate":\#(RetentionScene.now)}
                    """#
                ),
                renewal: scene.renewal(id)
            )
            #expect(try service.notify("/v1/notifications", notification).status == 200)
        }
        service.stop()
        let funnel = try scene.installation.ledger("funnel", "--json").json
        let line = try #require((funnel["offers"] as? [[String: Any]])?.first { $0["offerId"] as? String == "stay30" })
        #expect((line["retention"] as? [String: Any])?["eligible"] as? Int == 2)
        #expect(line["signed"] as? Int == 2)
        #expect(line["redeemedBySignature"] as? Int == 2, "\(line)")
        #expect(try scene.installation.ledger("verify").status == 0)
    }

    @Test("Each kind of answer is as Apple documents it: another product, a message; and where no rule fits, none")
    func rules() throws {
        let scene = try RetentionScene(
            asking: silent,
            rules: """
                [{ products: [pro.yearly], switchTo: pro.monthly, billingPlanType: MONTHLY, message: stay }, \
                { products: [pro.monthly], message: plain }]
                """
        )
        let service = try RunningService(scene.installation)
        let switching = try service.retention(scene.call("1", product: "pro.yearly", locale: "DE-de"))
        #expect(
            switching.json as? [String: [String: String]] == [
                "alternateProduct": [
                    "messageIdentifier": RetentionScene.german, "productId": "pro.monthly",
                    "billingPlanType": "MONTHLY",
                ]
            ]
        )
        let message = try service.retention(scene.call("2"))
        #expect(message.json as? [String: [String: String]] == ["message": ["messageIdentifier": RetentionScene.plain]])
        let none = try service.retention(scene.call("4", product: "pro.lifetime"))
        #expect(none.summary == "404 no_retention_message")
    }

    @Test("A call that is not Apple's, is old, or is for no app of the catalog is refused by code, and changes nothing")
    func refused() throws {
        let scene = try RetentionScene(asking: silent)
        let service = try RunningService(scene.installation)
        let forger = try TestAuthority().signer()
        let cases: [(String, String)] = [
            (try scene.call("1", by: forger), "jws_untrusted_root"),
            (try scene.call("1", secondsAgo: 301), "request_too_old"),
            (try scene.call("1", secondsAgo: -600), "request_in_future"),
            (try scene.call("1", app: 1), "app_not_in_catalog"),
            (try scene.call("1", environment: "Xcode"), "app_not_in_catalog"),
            (try scene.transaction("1"), "jws_payload_malformed"),
            ("a.b.c", "jws_malformed"),
        ]
        for (call, code) in cases {
            let response = try service.retention(call)
            #expect(response.summary == "422 \(code)", "\(response.json)")
            #expect(response.json["pointer"] as? String == "/signedPayload")
        }
        #expect(try service.retention(scene.call("1", secondsAgo: 240)).status == 200)
        // On the public listener there is no such call.
        #expect(try service.ask("/v1/retention-messages", "{}").status == 404)
        #expect(try scene.installation.records().isEmpty)
        #expect(service.log.contains("request_too_old"))
    }

    @Test("The same call gets the same bytes and one record, also after a restart")
    func repeated() throws {
        let scene = try RetentionScene(
            asking: silent,
            offer: "maximumSignaturesPerCustomer: 1",
            rules: "[{ products: [pro.monthly], offer: stay30, message: stay }]"
        )
        let service = try RunningService(scene.installation)
        try scene.notify(service, of: "1000")
        let identifier = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
        let first = try service.retention(scene.call("1000", identifier: identifier))
        #expect(first.offerJWS != nil)
        let again = try service.retention(scene.call("1000", locale: "de", identifier: identifier.lowercased()))
        #expect(again.body == first.body)
        service.kill()
        let restarted = try RunningService(scene.installation)
        #expect(try restarted.retention(scene.call("1000", identifier: identifier)).body == first.body)
        #expect(try scene.installation.records().count == 1)
    }

    @Test("After an answer about an unknown subscription Apple is asked, and the next call knows it")
    func lookup() throws {
        let authority = try TestAuthority()
        let history = try RetentionScene(asking: silent, trusting: authority)
        let answer = #"""
            {"environment":"Production","bundleId":"\#(Installation.bundleId)","appAppleId":1234567890,
            "data":[{"subscriptionGroupIdentifier":"20900001","lastTransactions":[{"status":1,
            "originalTransactionId":"5000","signedTransactionInfo":"\#(try history.transaction("5000"))",
            "signedRenewalInfo":"\#(try history.renewal("5000"))"}]}]}
            """#
        let apple = try FakeServer { _ in .init(200, answer, delay: 1) }
        let scene = try RetentionScene(asking: apple, trusting: authority)
        let service = try RunningService(scene.installation)
        let first = try service.retention(scene.call("5000"))
        #expect(first.messageIdentifier == RetentionScene.plain)
        for _ in 0..<3 { #expect(try service.retention(scene.call("5000")).status == 200) }
        let learned = #"offer_signer_retention_lookups_total{outcome="learned"}"#
        #expect(try waitUntil { try service.metrics()[learned] == 1 })
        // One question, however often Apple called meanwhile.
        #expect(apple.requests.count == 1)
        #expect(try waitUntil { try service.retention(scene.call("5000")).offerJWS != nil })
    }

    @Test("A ledger that cannot be written in time is 503, and nothing of it is recorded later")
    func locked() throws {
        let scene = try RetentionScene(asking: silent)
        let service = try RunningService(scene.installation)
        try scene.notify(service, of: "1000")
        let locker = try service.installation.lockLedger()
        let identifier = UUID().uuidString
        let response = try service.retention(scene.call("1000", identifier: identifier))
        #expect(response.summary == "503 answer_timeout", "\(response.json)")
        #expect(response.headers["retry-after"] != nil)
        locker.send(SIGKILL)
        _ = locker.wait()
        var again = try service.retention(scene.call("1000"))
        try waitUntil {
            if again.status != 200 { again = try service.retention(scene.call("1000")) }
            return again.status == 200
        }
        #expect(again.offerJWS != nil)
        let nonces = try scene.installation.records().compactMap { $0["nonce"] as? String }
        #expect(nonces == [try scene.claims(of: again.offerJWS ?? "")["nonce"] as? String])
    }

    @Test("The command explains the answer to Apple rule by rule; it signs nothing and records nothing")
    func dryRun() throws {
        let scene = try RetentionScene(asking: silent, offer: "maximumSignaturesPerCustomer: 1")
        func run(_ arguments: String...) throws -> ChildProcess.Outcome {
            try Executable.run(
                [
                    "retention", "try", "--config", scene.installation.configuration, "--bundle-id",
                    Installation.bundleId,
                ]
                    + arguments
            )
        }
        let early = try run("--transaction-id", "1000", "--product-id", "pro.monthly")
        early.expect(0, "what is remembered cannot be read")
        #expect(early.text.contains("nothing is remembered of it"))
        let service = try RunningService(scene.installation)
        try scene.notify(service, of: "1000")
        let known = try run("--transaction-id", "1000", "--product-id", "pro.monthly", "--locale", "de-DE")
        #expect(known.status == 0, "\(known.errors)")
        let lines = known.text.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains("Subscription 1000 of \(Installation.bundleId), Production: known") == true)
        #expect(lines.contains("1. customers of pro.monthly: the offer stay30, with the message stay"))
        #expect(lines.contains { $0.hasPrefix("   fits: The subscription renews") })
        let cap = lines.first { $0.hasPrefix("     maximumSignaturesPerCustomer: ") }
        #expect(cap?.contains("not signed for the customer yet") == true)
        #expect(
            lines.last == "Apple would be answered: promotionalOffer stay30 of pro.monthly, signed then, message "
                + "\(RetentionScene.german) (stay, de)"
        )
        #expect(try scene.installation.records().isEmpty)
        #expect(try service.retention(scene.call("1000")).offerJWS != nil)
        let capped = try run("--transaction-id", "1000", "--product-id", "pro.monthly")
        #expect(capped.text.contains("   does not fit: "))
        #expect(capped.text.contains("Apple would be answered: message \(RetentionScene.plain) (plain, default)"))
        #expect(try scene.installation.records().count == 1)
        #expect(try run("--transaction-id", "", "--product-id", "pro.monthly").status == 64)
        #expect(try run("--transaction-id", "1", "--product-id", "x", "--environment", "Xcode").status == 64)
        let other = try Executable.run([
            "retention", "try", "--config", scene.installation.configuration, "--bundle-id", "com.example.other",
            "--transaction-id", "1", "--product-id", "x",
        ])
        other.expect(1, "the catalog has no app of this bundle id; did you mean")
    }
}

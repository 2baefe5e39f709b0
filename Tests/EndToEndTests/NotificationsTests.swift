import ChildProcess
import Foundation
import Testing

@Suite("Held state and Apple's notifications, with the stand-in App Store")
struct NotificationsTests {
    private static let account = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    private let installation: Installation
    private let appStore: RunningAppStore
    private let service: RunningService

    init() throws {
        installation = try Installation()
        appStore = try RunningAppStore(for: installation)
        try installation.ask(
            appStore,
            settings: "  timeoutSeconds: 2\nnotifications: { host: 127.0.0.1, port: 0 }",
            app: "    appStoreCacheSeconds: 0",
            products: "{ id: pro.monthly, offers: [{ id: once, maxRedemptions: 1 }, { id: anyone }] }"
        )
        service = try RunningService(installation)
        try appStore.call(service)
    }

    private func decision(_ offer: String, _ evidence: String? = nil) throws -> [String: Any] {
        let more = evidence.map { #","evidence":{\#($0)}"# } ?? ""
        let response = try service.sign(
            #"""
            {"appAccountToken":"\#(Self.account)"\#(more),
            "offers":[{"productId":"pro.monthly","offerId":"\#(offer)"}]}
            """#
        )
        guard response.status == 200 else { return response.json }
        return try #require(response.decisions.first)
    }

    private func reason(_ offer: String, _ evidence: String? = nil) throws -> String? {
        let decision = try decision(offer, evidence)
        return decision["reason"] as? String ?? decision["code"] as? String
    }

    /// Waits until the App Store says that its notifications were taken.
    private func waitForDelivery(_ count: Int) throws {
        let isTaken = try waitUntil(seconds: 20) {
            let list =
                try appStore.ask("GET", "/simulator/notifications").json["notifications"] as? [[String: Any]] ?? []
            return list.count { notification in
                let attempts = notification["sendAttempts"] as? [[String: Any]] ?? []
                return attempts.last?["sendAttemptResult"] as? String == "SUCCESS"
            } >= count
        }
        guard isTaken else { throw Failure(text: "the notifications were not taken; \(service.log)") }
    }

    private func receipt(of customer: String) throws -> String {
        try #require(try appStore.ask("GET", "/simulator/customers/\(customer)").json["receipt"] as? String)
    }

    @Test("Bought with an offer, notified, answered without evidence; refunded, notified, refused; also without Apple")
    func loop() throws {
        #expect(try reason("once") == "no_evidence")
        let receipt = try receipt(of: "lapsed")
        let first = try decision("once", #""receipt":"\#(receipt)""#)
        #expect(first["reason"] as? String == "lapsed")
        #expect(try reason("once") == "lapsed")
        let bought = try appStore.buy(
            as: "lapsed",
            try #require(first["discount"] as? [String: Any]),
            account: Self.account
        )
        #expect(bought.status == 200)
        try waitForDelivery(1)
        #expect(try reason("anyone") == "active")
        #expect(try reason("once") == "redemption_limit")
        #expect(
            try reason("once", #""receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))"#)
                == "redemption_limit"
        )

        let transactionId = try #require((bought.json["transaction"] as? [String: Any])?["transactionId"] as? String)
        let before = try appStore.receiptResponse(of: "lapsed")
        #expect(try appStore.ask("POST", "/simulator/refunds", #"{"transactionId":"\#(transactionId)"}"#).status == 200)
        try waitForDelivery(2)
        #expect(try reason("anyone") == "refunded")
        #expect(try reason("anyone", #""receiptResponse":\#(before)"#) == "refunded")

        appStore.signal(SIGTERM)
        _ = appStore.wait()
        #expect(try reason("anyone", #""receipt":"\#(receipt)""#) == "refunded")
        let stranger = try service.sign(
            #"""
            {"appAccountToken":"00000000-4cdb-47cc-936d-99d65f608138","evidence":{"receipt":"\#(receipt)"},
            "offers":[{"productId":"pro.monthly","offerId":"anyone"}]}
            """#
        )
        #expect(stranger.status == 503)
        #expect(stranger.headers["retry-after"] != nil)
    }

    private func report(_ outcome: ChildProcess.Outcome) throws -> [[String: Any]] {
        try #require(outcome.json["offers"] as? [[String: Any]], "\(outcome.errors)")
    }

    @Test("The funnel counts requests, refusals, signatures, redemptions and prices paid")
    func funnel() throws {
        #expect(try reason("once") == "no_evidence")
        #expect(try reason("unheard-of") == "offer_not_in_catalog")
        let evidence = #""receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))"#
        let discount = try #require(try decision("once", evidence)["discount"] as? [String: Any])
        #expect(try appStore.buy(as: "lapsed", discount, account: Self.account).status == 200)
        try waitForDelivery(1)
        #expect(try reason("once") == "redemption_limit")
        let question = #"{"appAccountToken":"\#(Self.account)"}"#
        #expect(try service.ask("/v1/eligibility", question).status == 200)
        service.stop()

        let offers = try report(installation.ledger("funnel", "--json"))
        #expect(offers.map { $0["offerId"] as? String } == ["once", "anyone", nil])
        let once = try #require(offers.first)
        #expect(once["asked"] as? Int == 3)
        #expect(once["eligible"] as? Int == 1)
        #expect(once["signed"] as? Int == 1)
        #expect(once["redeemed"] as? Int == 1)
        #expect(once["redeemedBySignature"] as? Int == 1)
        #expect(once["refusals"] as? [String: Int] == ["no_evidence": 1, "redemption_limit": 1])
        let paid = try #require((once["paid"] as? [[String: Any]])?.first)
        #expect(paid["price"] as? String == "4.99")
        #expect(paid["currency"] as? String == "USD")
        #expect(paid["redemptions"] as? Int == 1)
        #expect((once["eligibility"] as? [String: Any])?["asked"] as? Int == 1)
        #expect(offers.last?["refusals"] as? [String: Int] == ["offer_not_in_catalog": 1])

        let table = try installation.ledger("funnel", "--since", "2020-01-01")
        #expect(table.text.contains("pro.monthly once"))
        #expect(table.text.contains("1 × 4.99 USD"))
        #expect(table.text.contains("refused: no_evidence 1, redemption_limit 1"))
        let later = try report(installation.ledger("funnel", "--json", "--since", "2120-01-01"))
        #expect(later.allSatisfy { $0["asked"] as? Int == 0 && $0["redeemed"] as? Int == 0 })
        #expect(try installation.ledger("funnel", "--since", "yesterday").status == 64)
        #expect(try installation.ledger("funnel", "--since", "2026-02-02", "--until", "2026-02-01").status == 64)
    }

    @Test("State from notifications outlives a crash, until it is forgotten")
    func durable() throws {
        let evidence = #""receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))"#
        let discount = try #require(try decision("anyone", evidence)["discount"] as? [String: Any])
        #expect(try appStore.buy(as: "lapsed", discount, account: Self.account).status == 200)
        try waitForDelivery(1)
        service.kill()
        let question =
            #"{"appAccountToken":"\#(Self.account)","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
        let restarted = try RunningService(installation)
        #expect(try restarted.sign(question).decisions.first?["reason"] as? String == "active")
        let outcome = try installation.ledger("forget", "--app-account-token", Self.account.uppercased())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("1 subscription."))
        for table in ["ledger_presentations", "redemptions", "held_subscriptions"] {
            #expect(try installation.sql("SELECT COUNT(*) FROM \(table)") == "0\n", "\(table)")
        }
        #expect(try waitUntil { try restarted.sign(question).decisions.first?["reason"] as? String == "no_evidence" })
    }

    @Test("The listener takes Apple's notifications, again and again, and nothing else")
    func listener() throws {
        let connection = try Connection(to: try #require(service.notifications))
        func post(_ body: String) throws -> Response {
            try connection.request("POST", "/v1/notifications", headers: [], body: body)
        }
        let bought = try appStore.buy(
            as: "lapsed",
            try #require(
                try decision("anyone", #""receiptResponse":\#(try appStore.receiptResponse(of: "lapsed"))"#)["discount"]
                    as? [String: Any]
            ),
            account: Self.account
        )
        #expect(bought.status == 200)
        try waitForDelivery(1)
        let sent = try appStore.ask("GET", "/simulator/notifications").json["notifications"] as? [[String: Any]]
        let payload = try #require(sent?.first?["signedPayload"] as? String)
        #expect(try post(#"{"signedPayload":"\#(payload)","more":1}"#).status == 200)
        #expect(try post(#"{"signedPayload":"\#(payload)"}"#).status == 200)
        let forged = try post(#"{"signedPayload":"\#(payload.dropLast(8))AAAAAAAA"}"#)
        #expect(forged.summary == "422 jws_signature_invalid")
        #expect(forged.headers["content-type"] == "application/problem+json")
        #expect(try post(#"{"signedPayload":"A"}"#).json["code"] as? String == "jws_malformed")
        #expect(service.log.contains("notification not taken"))
        #expect(try connection.request("POST", "/v1/signatures", body: "{}").status == 404)
        #expect(try post(#"{"signedPayload":"\#(String(repeating: "A", count: 1 << 17))"}"#).status == 413)
        #expect(try Connection(to: service.server).request("POST", "/v1/notifications", body: "{}").status == 404)
        let metrics = try Connection(to: service.admin).request("GET", "/metrics")
        let text = String(decoding: metrics.body, as: UTF8.self)
        #expect(text.contains(#"offer_signer_notifications_total{type="SUBSCRIBED",outcome="taken"} 1"#))
        #expect(text.contains(#"offer_signer_notifications_total{type="SUBSCRIBED",outcome="repeated"} 2"#))
        #expect(text.contains(#"offer_signer_notifications_total{type="none",outcome="refused"} 2"#))
    }
}

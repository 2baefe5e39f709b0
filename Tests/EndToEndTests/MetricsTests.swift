import ChildProcess
import FakeServer
import Foundation
import SignedDataFixtures
import Testing

@Suite("The metrics of a running service", .serialized, .sharing(PlainScene.self))
struct MetricsTests {
    /// The metrics of the shared service now, with what counters and sums have grown by since a moment.
    private func metrics(since before: [String: Double]) throws -> [String: Double] {
        let counted = ["_total", "_count", "_sum", "_bucket"]
        let now = try PlainScene.running().service.metrics()
        return Dictionary(
            uniqueKeysWithValues: now.map { name, value in
                let isCounted = counted.contains { name.prefix { $0 != "{" }.hasSuffix($0) }
                return (name, isCounted ? value - (before[name] ?? 0) : value)
            }
        )
    }

    @Test("requests are counted by route, status and client, and no path or product of a stranger becomes a label")
    func requests() throws {
        let service = try PlainScene.running().service
        let before = try service.metrics()
        let body = Customers.lapsedRequest(offers: ["comeback50", "comeback50", "never-heard-of"])
        #expect(try service.sign(body).status == 200)
        #expect(try service.sign("{").status == 400)
        #expect(try Connection(to: service.server).request("GET", "/v1/signatures").status == 405)
        #expect(try Connection(to: service.server).request("GET", "/stranger-path").status == 404)
        let stranger = try Connection(to: service.server)
            .request("POST", "/v1/signatures", headers: ["Authorization: Bearer stranger-token"], body: "{}")
        #expect(stranger.status == 401)
        let text = ["Authorization: Bearer \(Installation.token)", "Content-Type: text/plain"]
        #expect(try Connection(to: service.server).request("POST", "/v1/signatures", headers: text).status == 415)

        let metrics = try metrics(since: before)
        func requests(_ route: String, _ status: Int, _ client: String) -> Double? {
            metrics["offer_signer_requests_total{route=\"\(route)\",status=\"\(status)\",client=\"\(client)\"}"]
        }
        #expect(requests("/v1/signatures", 200, "backend") == 1)
        #expect(requests("/v1/signatures", 400, "backend") == 1)
        #expect(requests("/v1/signatures", 401, "none") == 1)
        #expect(requests("/v1/signatures", 415, "backend") == 1, "who shows a good token is named")
        #expect(requests("unmatched", 405, "backend") == 1)
        #expect(requests("unmatched", 404, "backend") == 1)
        #expect(metrics["offer_signer_request_duration_seconds_count{route=\"/v1/signatures\"}"] == 4)
        for name in metrics.keys {
            #expect(!name.contains("stranger"))
            #expect(!name.contains("never-heard-of"))
        }
    }

    @Test("the time in each room is measured, and a reload forgets nothing that was counted")
    func rooms() throws {
        let service = try PlainScene.running().service
        let before = try service.metrics()
        let body = Customers.lapsedRequest(offers: ["comeback50", "anyone", "comeback50", "never-heard-of"])
        #expect(try service.sign(body).status == 200)
        let metrics = try metrics(since: before)
        let rooms = ["decode": 1.0, "evidence": 1, "decision": 4, "signature": 3, "encode": 1]
        for (room, times) in rooms {
            #expect(metrics["offer_signer_room_duration_seconds_count{room=\"\(room)\"}"] == times, "\(room)")
            let seconds = try #require(metrics["offer_signer_room_duration_seconds_sum{room=\"\(room)\"}"])
            #expect(seconds > 0 && seconds < 20, "\(room)")
        }
        try service.reload()
        #expect(try service.sign(body).status == 200)
        let name = "offer_signer_requests_total{route=\"/v1/signatures\",status=\"200\",client=\"backend\"}"
        #expect(try self.metrics(since: before)[name] == 2)
    }

    @Test("calls to Apple, reloads, keys and clients' reports are counted")
    func states() throws {
        let server = try FakeServer { _ in .init(200, #"{"status":21004}"#) }
        let service = try RunningService(Installation(asking: server, trusting: try TestAuthority()))
        let body = #"{"evidence":{"receipt":"MIIB"},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
        #expect(try service.sign(body).status == 503)
        let report = #"""
            {"product_id":"pro.monthly","price":"9.99","country_code":"DEU","currency_code":"EUR","symbol":"€",
            "promotion":[{"promotion_price":"4.99","promotion_period":2,"discount_type":1,"promotion_type":0,
            "promotion_code":"secret-sale","promotion_time":3}]}
            """#
        #expect(try Connection(to: service.server).request("POST", "/v1/product-reports", body: report).status == 202)
        try service.reload()
        try service.installation.directory.write("catalog.yaml", "apps: [")
        try service.reload()

        // Nobody waits for what the database has to say: it is found after a look, within some seconds.
        var metrics: [String: Double] = [:]
        try waitUntil {
            metrics = try service.metrics()
            return metrics["offer_signer_offers_not_in_catalog{app=\"com.example.reader\"}"] == 1
        }
        let app = "app=\"com.example.reader\""
        let expected: [String: Double] = [
            "app_store_calls_total{service=\"verifyReceipt\",environment=\"Production\",status=\"200\",\(app)}": 1,
            "app_store_credentials_refused_total{service=\"verifyReceipt\",\(app)}": 1,
            "app_store_credentials_refused_total{service=\"serverAPI\",\(app)}": 0,
            "app_store_breaker_open{service=\"serverAPI\",environment=\"Sandbox\"}": 0,
            "reloads_total{outcome=\"completed\"}": 1, "reloads_total{outcome=\"refused\"}": 1,
            "key_failed{key_id=\"TESTKEY001\"}": 0, "clock_fault{fault=\"jumped\"}": 0, "ready": 1,
            "offers_never_seen{\(app)}": 2, "offers_not_in_catalog{\(app)}": 1,
        ]
        for (name, value) in expected { #expect(metrics["offer_signer_" + name] == value, "\(name)") }
        for name in metrics.keys { #expect(!name.contains("secret-sale")) }
    }

    @Test("the ledger's commits, records and queue, its size and its disk's room are there; no certificate without TLS")
    func ledger() throws {
        let service = try PlainScene.running().service
        let before = try service.metrics()
        for account in ["alice", "bob"] { #expect(try service.sign(Customers.request(account)).status == 200) }
        // Held subscriptions are counted when somebody looks, who does not wait for it.
        var metrics: [String: Double] = [:]
        try waitUntil {
            metrics = try self.metrics(since: before)
            return metrics["offer_signer_ledger_records_total"] == 2
                && metrics["offer_signer_held_subscriptions"] != nil
        }
        #expect(metrics["offer_signer_ledger_records_total"] == 2)
        #expect(metrics["offer_signer_ledger_queue_length"] == 0)
        #expect(metrics[#"offer_signer_ledger_commit_duration_seconds_bucket{le="+Inf"}"#] == 2)
        #expect(metrics["offer_signer_held_subscriptions"] != nil)
        let size = try #require(metrics["offer_signer_ledger_bytes{database=\"sqlite\"}"])
        #expect(size > 10_000 && size < 10_000_000)
        let free = try #require(metrics["offer_signer_ledger_free_bytes{database=\"sqlite\"}"])
        let directory = service.installation.directory.url.path
        let text = try Executable.run(["--output=avail", "--block-size=1", directory], of: "/bin/df").text
        let available = try #require(text.split(separator: "\n").last.flatMap { Double($0.filter(\.isNumber)) })
        // Others write to the same disk meanwhile.
        #expect(free / available > 0.5 && free / available < 2)
        #expect(metrics["offer_signer_redemptions_last_day{app=\"com.example.reader\"}"] == 0)
        #expect(!metrics.keys.contains { $0.hasPrefix("offer_signer_tls_certificate_end") })
    }
}

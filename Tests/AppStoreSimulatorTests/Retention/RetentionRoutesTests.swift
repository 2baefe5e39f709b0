import Foundation
import HTTPTypes
import Testing

@testable import AppStoreSimulator

@Suite("Apple's set-up calls for retention messages")
struct RetentionRoutesTests {
    private static let root = "/inApps/v1/messaging"
    private static let id = "00000000-0000-4000-8000-000000000001"

    private let store: SimulatedAppStore
    private let headers: HTTPFields

    init() throws {
        let app = """
            retention:
                      performanceTest:
                        { totalRequests: 20, maxConcurrentRequests: 3, totalDuration: 0, responseTimeThreshold: 30000 }
            """
        let customers = "[{ name: c, environment: Sandbox, subscriptions: [{ product: monthly, state: active }] }]"
        store = try TestStore.store(try TestStore.world(customers, app: app))
        headers = try TestStore.serverAPIHeaders()
    }

    private func put(_ client: LiveClient, _ path: String, _ body: [String: Any]) async throws -> LiveClient.Answer {
        try await client.put(path, body, headers)
    }

    @Test(
        "A message beyond Apple's limits has Apple's error",
        arguments: [
            (["header": String(repeating: "h", count: 67), "body": "b"], 4_000_162),
            (["header": "h", "body": String(repeating: "b", count: 145)], 4_000_163),
            (["header": "h", "body": "b", "headerPosition": "ABOVE_IMAGE"], 4_000_224), (["header": "h"], 4_000_000),
        ] as [([String: String], Int)]
    )
    func limits(body: [String: String], code: Int) async throws {
        try await store.live { client in
            let answer = try await put(client, "\(Self.root)/message/\(Self.id)", body)
            #expect(answer.json["errorCode"] as? Int == code)
        }
    }

    @Test("Production takes an address only when a test of the Sandbox's has passed, and https alone")
    func performanceTest() async throws {
        let id = try #require(store.current().customer("c")?.subscriptions.first?.originalTransactionId)
        let endpoint = Endpoint()
        let (message, url) = (StoreMessage(id: Self.id, state: .approved), "https://offers.example/v1")
        store.change { $0.apps[0].retention.sandbox.messages.append(message) }
        try await endpoint.listening { address in
            try await store.live { client in
                let production = "\(Self.root)/realtime/url"
                #expect(try await client.get(production, headers).json["errorCode"] as? Int == 4_040_021)
                let untested = try await put(client, production, ["realtimeURL": url])
                #expect(untested.json["errorCode"] as? Int == 4_030_026)
                let plain = try await put(client, "/sandbox\(production)", ["realtimeURL": address])
                #expect(plain.json["errorCode"] as? Int == 4_000_215)
                let tests = "/sandbox\(Self.root)/performanceTest"
                let body = ["originalTransactionId": id]
                #expect(try await client.post(tests, body, headers).json["errorCode"] as? Int == 4_000_211)
                _ = try await client.post(
                    "/simulator/retention-url",
                    ["bundleId": "com.example.app", "environment": "Sandbox", "url": address]
                )
                endpoint.answers("{}")
                #expect(try await run(client, tests, body, asking: endpoint)["result"] as? String == "FAIL")
                #expect(try await put(client, production, ["realtimeURL": url]).status == .forbidden)
                endpoint.answers(#"{"message":{"messageIdentifier":"\#(Self.id)"}}"#)
                let passed = try await run(client, tests, body, asking: endpoint)
                #expect(passed["result"] as? String == "PASS")
                #expect(passed["successRate"] as? Int == 100)
                #expect(
                    (passed["responseTimes"] as? [String: Int])?.keys.sorted() == [
                        "average", "p50", "p90", "p95", "p99",
                    ]
                )
                #expect(try await put(client, production, ["realtimeURL": url]).status == .ok)
                #expect(try await client.get(production, headers).json["realtimeURL"] as? String == url)
                #expect(try await client.post("\(Self.root)/performanceTest", body, headers).status == .notFound)
            }
        }
        #expect(endpoint.signedPayloads.count == 40)
        #expect(endpoint.mostAtOnce <= 3)
        #expect(Set(endpoint.signedPayloads).count == 40)
    }

    private func run(
        _ client: LiveClient,
        _ path: String,
        _ body: [String: Any],
        asking endpoint: Endpoint
    ) async throws -> [String: Any] {
        endpoint.holds(true)
        let started = try await client.post(path, body, headers)
        #expect(try await client.post(path, body, headers).json["errorCode"] as? Int == 4_000_213)
        endpoint.holds(false)
        let requestId = try #require(started.json["requestId"] as? String, "\(started.json)")
        #expect((started.json["config"] as? [String: Int])?["totalRequests"] == 20)
        for _ in 0..<1000 {
            let answer = try await client.get("\(path)/result/\(requestId)", headers)
            if answer.json["result"] as? String != "PENDING" { return answer.json }
            try await Task.sleep(for: .milliseconds(20))
        }
        return [:]
    }

    @Test("An app without access gets an empty 404 for these calls alone, and one without a token a 401")
    func noAccess() async throws {
        try await store.live { client in
            _ = try await client.post("/simulator/faults", ["target": "retention", "noAccess": true])
            let answer = try await client.get("\(Self.root)/message/list", headers)
            #expect(answer.status == .notFound && answer.body.isEmpty)
            let other = try await client.get("/inApps/v1/transactions/1", headers)
            #expect(other.json["errorCode"] as? Int == 4_040_010)
            _ = try await client.delete("/simulator/faults")
            #expect(try await client.get("\(Self.root)/message/list").status == .unauthorized)
            let wrong = try await client.post("/simulator/faults", ["target": "serverAPI", "noAccess": true])
            #expect(wrong.json["pointer"] as? String == "/noAccess")
        }
    }
}

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
            let answer = try await client.put("\(Self.root)/message/\(Self.id)", body, headers)
            #expect(answer.json["errorCode"] as? Int == code)
        }
    }
    @Test("A performance test has the calls that it says, no more at once than it says, and none beside it")
    func performanceTest() async throws {
        let id = try #require(store.current().customer("c")?.subscriptions.first?.originalTransactionId)
        let endpoint = Endpoint()
        endpoint.answers("{}", after: .milliseconds(50))
        try await endpoint.listening { address in
            try await store.live { client in
                let url = ["bundleId": "com.example.app", "environment": "Sandbox", "url": address]
                _ = try await client.post("/simulator/retention-url", url)
                let (path, body) = ("/sandbox\(Self.root)/performanceTest", ["originalTransactionId": id])
                let started = try await client.post(path, body, headers)
                #expect(try await client.post(path, body, headers).json["errorCode"] as? Int == 4_000_213)
                let result = "\(path)/result/\(try #require(started.json["requestId"] as? String, "\(started.json)"))"
                for _ in 0..<1000 where try await client.get(result, headers).json["result"] as? String == "PENDING" {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
        #expect(Set(endpoint.signedPayloads).count == 20 && endpoint.signedPayloads.count == 20)
        #expect((1...3).contains(endpoint.mostAtOnce))
    }
}

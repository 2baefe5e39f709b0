import Foundation
import HTTPTypes
import Testing

@testable import AppStoreSimulator

@Suite("Faults on demand over a socket")
struct FaultMiddlewareTests {
    private let store: SimulatedAppStore

    init() throws {
        store = try TestStore.store(
            try TestStore.world(
                """
                [{ name: c, subscriptions: [{ product: monthly, state: lapsed }] },
                 { name: s, environment: Sandbox, subscriptions: [{ product: monthly, state: active }] }]
                """
            )
        )
    }

    private func id(_ customer: String) throws -> String {
        try #require(store.current().customer(customer)?.transactions.first?.transactionId)
    }

    @Test("Faults are shown as often as asked, or until removed, at the calls and in the environment asked for")
    func faults() async throws {
        let (mine, sandbox) = (try id("c"), try id("s"))
        let headers = try TestStore.serverAPIHeaders()
        try await store.live { client in
            let path = "/inApps/v1/transactions/\(mine)"
            let limit =
                [
                    "target": "serverAPI", "environment": "Production", "times": 2, "errorCode": 4_290_000,
                    "retryAfterSeconds": 7,
                ] as [String: any Sendable]
            #expect(try await client.post("/simulator/faults", limit).status == .ok)
            #expect(try await client.get("/sandbox/inApps/v1/transactions/\(sandbox)", headers).status == .ok)
            for _ in 0..<2 {
                let before = Date().timeIntervalSince1970
                let limited = try await client.get(path, headers)
                let after = Date().timeIntervalSince1970
                #expect(limited.status == .tooManyRequests)
                #expect(limited.json["errorCode"] as? Int == 4_290_000)
                let moment = try #require(Double(limited.headers[.retryAfter] ?? ""))
                #expect((before + 6...after + 8).contains(moment / 1000))
            }
            #expect(try await client.get(path, headers).status == .ok)

            _ = try await client.post(
                "/simulator/faults",
                ["target": "verifyReceipt", "receiptStatus": 21100, "isRetryable": true]
            )
            for _ in 0..<3 {
                let internalError = try await client.post("/verifyReceipt", ["receipt-data": "x"])
                #expect(internalError.json["status"] as? Int == 21100)
                #expect(internalError.json["is-retryable"] as? Bool == true)
            }
            let lasting = (try await client.get("/simulator/faults").json["faults"] as? [[String: Any]])?.first
            #expect(lasting?["receiptStatus"] as? Int == 21100 && lasting?["times"] == nil)
            _ = try await client.delete("/simulator/faults")
            #expect(try await client.post("/verifyReceipt", ["receipt-data": "x"]).json["status"] as? Int == 21002)
            #expect(try await client.get("/verifyReceipt").json["status"] as? Int == 21000)
            let receipt = try await client.get("/simulator/customers/c").json["receipt"] ?? ""
            let elsewhere = try await client.post("/sandbox/verifyReceipt", ["receipt-data": receipt])
            #expect(elsewhere.json["status"] as? Int == 21008)

            _ = try await client.post("/simulator/faults", ["times": 1, "garbage": true])
            let garbage = try await client.get(path, headers)
            #expect(garbage.status == .ok)
            #expect(garbage.json.isEmpty)
            _ = try await client.post("/simulator/faults", ["times": 1, "httpStatus": 503])
            #expect(try await client.get(path, headers).status == .serviceUnavailable)

            _ = try await client.post("/simulator/faults", ["times": 1, "delayMilliseconds": 300])
            let start = ContinuousClock.now
            #expect(try await client.get(path, headers).status == .ok)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
            #expect((try await client.get("/simulator/faults").json["faults"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A fault that makes no sense is refused, by its member")
    func badFaults() async throws {
        try await store.live { client in
            for (body, pointer) in [
                (["target": "x", "garbage": true], "/target"), (["httpStatus": 20], "/httpStatus"),
                (["colour": 1], "/colour"),
                (["times": 0, "garbage": true], "/times"), (["receiptStatus": 21005], "/receiptStatus"), ([:], nil),
                (["garbage": true, "outage": true], nil), (["delayMilliseconds": -1], "/delayMilliseconds"),
            ] as [([String: any Sendable], String?)] {
                let answer = try await client.post("/simulator/faults", body)
                #expect(answer.status == .badRequest)
                #expect(answer.json["pointer"] as? String == pointer)
            }
        }
    }
}

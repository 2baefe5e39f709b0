import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Apple's routes over a socket")
struct AppleRoutesTests {
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

    private func headers() throws -> HTTPFields {
        let now = Int64(Date().timeIntervalSince1970)
        let token = try TestStore.jws([
            "iss": "issuer", "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": "com.example.app",
        ])
        return [.authorization: "Bearer \(token)"]
    }

    private func id(_ customer: String) throws -> String {
        try #require(store.current().customer(customer)?.transactions.first?.transactionId)
    }

    @Test("Production and sandbox know their own receipts, and say where the others belong")
    func receipts() async throws {
        let statuses = [
            ("c", "/verifyReceipt", 0), ("c", "/sandbox/verifyReceipt", 21008), ("s", "/verifyReceipt", 21007),
            ("s", "/sandbox/verifyReceipt", 0),
        ]
        try await store.live { client in
            for (name, path, status) in statuses {
                let receipt = try await client.get("/simulator/customers/\(name)").json["receipt"] ?? ""
                let answer = try await client.post(path, ["receipt-data": receipt])
                #expect(answer.status == .ok)
                #expect(answer.json["status"] as? Int == status)
            }
            #expect(try await client.get("/verifyReceipt").json["status"] as? Int == 21000)
        }
    }

    @Test("The Server API answers under a right token, and with text under any other")
    func serverAPI() async throws {
        let (mine, sandbox) = (try id("c"), try id("s"))
        let headers = try headers()
        try await store.live { client in
            for path in ["subscriptions", "transactions"] {
                #expect(try await client.get("/inApps/v1/\(path)/\(mine)", headers).status == .ok)
                let elsewhere = try await client.get("/inApps/v1/\(path)/\(sandbox)", headers)
                #expect(elsewhere.status == .notFound)
                #expect(elsewhere.json["errorCode"] as? Int == 4_040_010)
                #expect(try await client.get("/sandbox/inApps/v1/\(path)/\(sandbox)", headers).status == .ok)
                let bad = try await client.get("/inApps/v1/\(path)/abc", headers)
                #expect(bad.status == .badRequest)
                #expect(bad.json["errorCode"] as? Int == 4_000_006)
                let stranger = try await client.get("/inApps/v1/\(path)/\(mine)", [.authorization: "Bearer a.b.c"])
                #expect(stranger.status == .unauthorized)
                #expect(stranger.json.isEmpty)
            }
            let history = try await client.get("/inApps/v2/history/\(mine)?sort=DESCENDING", headers)
            #expect((history.json["signedTransactions"] as? [Any])?.count == 2)
        }
    }

    @Test("A test notification is asked for, looked up and found in the history")
    func notifications() async throws {
        let headers = try headers()
        try await store.live { client in
            let path = "/inApps/v1/notifications"
            let nowhere = try await client.post("\(path)/test", [:], headers)
            #expect(nowhere.json["errorCode"] as? Int == 4_040_007)
            let url = ["bundleId": "com.example.app", "url": "http://127.0.0.1:1/"]
            #expect(try await client.post("/simulator/notification-url", url).status == .ok)
            let asked = try await client.post("\(path)/test", [:], headers)
            let token = try #require(asked.json["testNotificationToken"] as? String)
            let status = try await client.get("\(path)/test/\(token)", headers)
            let payload = try #require(status.json["signedPayload"] as? String)
            #expect(try JSON.part(1, of: payload)["notificationType"] as? String == "TEST")
            #expect(try await client.get("\(path)/test/x", headers).json["errorCode"] as? Int == 4_040_008)
            let range = ["startDate": 1, "endDate": 4_000_000_000_000]
            let history = try await client.post("\(path)/history", range, headers)
            #expect((history.json["notificationHistory"] as? [Any])?.count == 1)
            #expect(try await client.post("\(path)/history", range).status == .unauthorized)
            let own = try await client.get("/simulator/notifications").json["notifications"] as? [[String: Any]]
            #expect(own?.first?["notificationUUID"] as? String == token)
        }
    }

    @Test("Faults are shown as often as asked, at the calls and in the environment asked for")
    func faults() async throws {
        let (mine, sandbox) = (try id("c"), try id("s"))
        let headers = try headers()
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
                let limited = try await client.get(path, headers)
                #expect(limited.status == .tooManyRequests)
                #expect(limited.json["errorCode"] as? Int == 4_290_000)
                let moment = try #require(Double(limited.headers[.retryAfter] ?? ""))
                #expect(abs(moment / 1000 - Date().timeIntervalSince1970 - 7) < 5)
            }
            #expect(try await client.get(path, headers).status == .ok)

            _ = try await client.post(
                "/simulator/faults",
                ["target": "verifyReceipt", "receiptStatus": 21100, "isRetryable": true]
            )
            let internalError = try await client.post("/verifyReceipt", ["receipt-data": "x"])
            #expect(internalError.json["status"] as? Int == 21100)
            #expect(internalError.json["is-retryable"] as? Bool == true)
            _ = try await client.delete("/simulator/faults")

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

    @Test("An outage closes the connection without a word")
    func outage() async throws {
        let path = "/inApps/v1/transactions/\(try id("c"))"
        let headers = try headers()
        try await store.live { client in
            _ = try await client.post("/simulator/faults", ["times": 1, "outage": true])
            await #expect(throws: (any Error).self) { try await client.get(path, headers) }
        }
        let next = try await store.live { client in try await client.get(path, headers).status }
        #expect(next == .ok)
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

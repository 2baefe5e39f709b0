import Foundation
import HTTPTypes
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

    @Test("Every other path, and another method, is answered with an error as Apple's are")
    func otherPaths() async throws {
        let id = try id("c")
        let headers = try TestStore.serverAPIHeaders()
        try await store.live { client in
            for path in [
                "/inApps/v1/lookup/ABC", "/sandbox/inApps/v2/transactions/\(id)", "/favicon.ico", "/simulator/x",
            ] {
                let answer = try await client.get(path, headers)
                #expect(answer.status == .notFound)
                #expect(answer.json["errorCode"] as? Int == 4_040_000)
                #expect(answer.json["errorMessage"] as? String == "The stand-in App Store does not serve this call.")
            }
            let posted = try await client.post("/inApps/v1/transactions/\(id)", [:])
            #expect(posted.status == .notFound && posted.json["errorCode"] as? Int == 4_040_000)
        }
    }

    @Test("The Server API answers under a right token, and with text under any other")
    func serverAPI() async throws {
        let (mine, sandbox) = (try id("c"), try id("s"))
        let headers = try TestStore.serverAPIHeaders()
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
        let headers = try TestStore.serverAPIHeaders()
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
}

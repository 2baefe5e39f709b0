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
}

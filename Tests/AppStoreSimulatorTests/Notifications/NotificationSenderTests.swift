import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import AppStoreSimulator

@Suite("Notifications over a socket")
struct NotificationSenderTests {
    @Test("A notification goes to the app's server, and again an hour later when it was refused")
    func notifications() async throws {
        let store = try TestStore.store(try TestStore.world(state: "lapsed"))
        let received = Mutex<[String]>([])
        let router = Router()
        router.post("/notifications") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let count = received.withLock { list in
                list.append(String(buffer: body))
                return list.count
            }
            return Response(status: count == 1 ? .internalServerError : .ok)
        }
        try await Application(router: router, configuration: .init(address: .hostname("localhost", port: 0)))
            .test(.live) { receiver in
                let port = try #require(receiver.port)
                try await store.live { client in
                    let url = ["bundleId": "com.example.app", "url": "http://localhost:\(port)/notifications"]
                    _ = try await client.post("/simulator/notification-url", url)
                    _ = try await client.post("/simulator/purchases", ["customer": "c", "productId": "monthly"])
                    func attempts(_ count: Int) async throws -> [NotificationAttempt] {
                        for _ in 0..<400 {
                            let attempts = store.current().notifications.first?.attempts ?? []
                            if attempts.count >= count { return attempts }
                            try await Task.sleep(for: .milliseconds(25))
                        }
                        return store.current().notifications.first?.attempts ?? []
                    }
                    #expect(try await attempts(1).map(\.result) == [.unsuccessfulStatus])
                    try await Task.sleep(for: .milliseconds(200))
                    #expect(received.withLock(\.count) == 1)
                    _ = try await client.post("/simulator/clock", ["advanceSeconds": 3601])
                    #expect(try await attempts(2).map(\.result) == [.unsuccessfulStatus, .success])
                }
            }
        let bodies = received.withLock { $0 }
        #expect(bodies.count == 2)
        #expect(bodies.first == bodies.last)
        let body = try #require(bodies.first)
        let payload = try #require(try JSON.object(body.utf8)["signedPayload"] as? String)
        let notification = try JSON.part(1, of: payload)
        #expect(notification["notificationType"] as? String == "SUBSCRIBED")
        #expect(notification["subtype"] as? String == "RESUBSCRIBE")
    }

    @Test(
        "An address that nothing can be sent to is refused, and does not end the simulator later",
        arguments: [
            "http://127.0.0.1:65536/v1", "https://[::1]:99999", "http://127.0.0.1:0", "ftp://a", "http://",
            "http://127.0.0.1:99999999999999999999/", "http://127.0.0.1:+80", "http://127.0.0.1: 80",
        ]
    )
    func address(url: String) {
        #expect(StoreApp.notificationURL(url) == nil)
    }
}

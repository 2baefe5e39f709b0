import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import StrictJSON

/// Sends the notifications that are due, one after the other, each time until it is taken or Apple would give up.
struct NotificationSender: Service {
    private static let pause = Duration.milliseconds(50)
    private static let patience = TimeAmount.seconds(5)

    /// Where notifications come from.
    let store: SimulatedAppStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                store.letTimePass()
                for delivery in store.dueDeliveries() where !Task.isCancelled {
                    store.record(await send(delivery), of: delivery.notificationId)
                }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func send(_ delivery: NotificationDelivery) async -> NotificationAttempt.Result {
        var request = HTTPClientRequest(url: delivery.url.absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(JSONWriter.text { $0.member("signedPayload", delivery.signedPayload) })
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: Self.patience)
            // Nobody reads the body: without an end to it, the connection would not be used again.
            _ = try? await response.body.collect(upTo: 1 << 16)
            return (200..<300).contains(Int(response.status.code)) ? .success : .unsuccessfulStatus
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
            return .timedOut
        } catch {
            return .noResponse
        }
    }
}

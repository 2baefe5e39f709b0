import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Offers
import ServiceLifecycle
import StrictJSON

/// Sends the notifications that are due, one after the other, each time until it is taken or Apple would give up.
struct NotificationSender: Service {
    private static let pause = Duration.milliseconds(50)
    private static let patience = TimeAmount.seconds(5)

    let store: SimulatedAppStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                store.letTimePass()
                for (notification, url) in store.dueNotifications() where !Task.isCancelled {
                    store.record(await send(notification, to: url), of: notification.id)
                }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func send(_ notification: StoreNotification, to url: URL) async -> NotificationAttempt.Result {
        do {
            let request = HTTPClientRequest(posting: notification.signedPayload, to: url)
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

extension HTTPClientRequest {
    /// The request in which Apple hands signed data to an app's server.
    init(posting signedPayload: String, to url: URL) {
        self.init(url: url.absoluteString)
        method = .POST
        headers.add(name: "Content-Type", value: "application/json")
        body = .bytes(JSONWriter.text { $0.member("signedPayload", signedPayload) })
    }
}

/// One attempt to deliver a notification (`sendAttemptItem`).
struct NotificationAttempt: Equatable, Sendable {
    /// `sendAttemptResult`.
    enum Result: String, Sendable {
        case success = "SUCCESS"
        case noResponse = "NO_RESPONSE"
        case timedOut = "TIMED_OUT"
        case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    }

    let date: Timestamp
    let result: Result
}

/// The calls of the App Store Server API about notifications.
struct NotificationHistory {
    static let pageSize = 20

    /// The notifications of one app in one environment, oldest first.
    let notifications: [StoreNotification]

    /// Get Test Notification Status: `CheckTestNotificationResponse`.
    func test(_ token: String) throws(ServerAPIError) -> [UInt8] {
        guard let found = notifications.first(where: { $0.kind == .test && $0.id == token }) else {
            throw .testNotificationNotFound
        }
        return JSONWriter.text { found.write(into: &$0) }
    }

    /// Get Notification History: `NotificationHistoryRequest`, `NotificationHistoryResponse`.
    func page(_ body: [UInt8], token: String?) throws(ServerAPIError) -> [UInt8] {
        guard let request = try? RequestMembers(json: body) else {
            throw ServerAPIError(4_000_000, "Bad request.")
        }
        guard let start = try? request.integer("startDate") else { throw .invalidStartDate }
        guard let end = try? request.integer("endDate") else { throw .invalidEndDate }
        guard start <= end else { throw .startDateAfterEndDate }
        let kind = try? request.string("notificationType")
        let subtype = try? request.string("notificationSubtype")
        let transactionId = try? request.string("transactionId")
        let onlyFailures = (try? request.boolean("onlyFailures")) ?? false
        let found = notifications.filter { notification in
            (start...end).contains(notification.date.millisecondsSince1970)
                && (kind == nil || notification.kind.rawValue == kind)
                && (subtype == nil || notification.subtype?.rawValue == subtype)
                && (transactionId == nil || notification.originalTransactionId == transactionId)
                && !(onlyFailures && notification.isDelivered)
        }
        // A token belongs to the body that it was given for: with another one it has expired.
        let mark = "_\(start)-\(end)-\(kind ?? "")-\(subtype ?? "")-\(transactionId ?? "")-\(onlyFailures)"
        var first = 0
        if let token {
            let id = token.prefix { $0 != "_" }
            guard notifications.contains(where: { $0.id == id }) else { throw .invalidPaginationToken }
            guard token == id + mark, let index = found.firstIndex(where: { $0.id == id }) else {
                throw .paginationTokenExpired
            }
            first = index
        }
        let page = found[first...].prefix(Self.pageSize)
        let next = first + page.count
        return JSONWriter.text { json in
            if next < found.count { json.member("paginationToken", found[next].id + mark) }
            json.flag("hasMore", next < found.count)
            json.list("notificationHistory", page) { notification, json in
                json.object { notification.write(into: &$0) }
            }
        }
    }
}

import Offers
import StrictJSON

/// The calls of the App Store Server API about notifications.
struct NotificationHistory {
    /// How many notifications a page has.
    static let pageSize = 20

    /// The notifications of one app in one environment, oldest first.
    let notifications: [StoreNotification]

    /// Get Test Notification Status.
    ///
    /// - Parameter token: `testNotificationToken`.
    /// - Returns: `CheckTestNotificationResponse`.
    /// - Throws: `ServerAPIError` when there is no such notification.
    func test(_ token: String) throws(ServerAPIError) -> [UInt8] {
        guard let found = notifications.first(where: { $0.kind == .test && $0.id == token }) else {
            throw .testNotificationNotFound
        }
        return JSONWriter.text { found.write(into: &$0) }
    }

    /// Get Notification History.
    ///
    /// - Parameters:
    ///   - body: `NotificationHistoryRequest`.
    ///   - token: `paginationToken`, from the page before.
    /// - Returns: `NotificationHistoryResponse`.
    /// - Throws: `ServerAPIError` when the request cannot be answered.
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
        var first = 0
        if let token {
            guard let index = found.firstIndex(where: { $0.id == token }) else { throw .invalidPaginationToken }
            first = index
        }
        let page = found[first...].prefix(Self.pageSize)
        let next = first + page.count
        return JSONWriter.text { json in
            if next < found.count { json.member("paginationToken", found[next].id) }
            json.flag("hasMore", next < found.count)
            json.list("notificationHistory", page) { notification, json in
                json.object { notification.write(into: &$0) }
            }
        }
    }
}

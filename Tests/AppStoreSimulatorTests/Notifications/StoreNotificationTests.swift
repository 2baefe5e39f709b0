import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Notifications")
struct StoreNotificationTests {
    private func notification(_ kind: StoreEvent.Kind = .didRenew, at date: Timestamp = TestStore.now) throws
        -> StoreNotification
    {
        let world = try TestStore.world(state: "active")
        return StoreNotification(
            StoreEvent(kind, at: date, world.customer("c")?.subscriptions.first),
            app: try #require(world.app("com.example.app")),
            environment: .production,
            customer: world.customer("c"),
            signer: try TestStore.signing()
        )
    }

    @Test("A notification that is refused is sent again after 1, 12, 24, 48 and 72 hours, and then no more")
    func retries() throws {
        var notification = try notification()
        #expect(notification.nextAttempt == TestStore.now)
        var hours: [Int64] = []
        while let next = notification.nextAttempt, hours.count < 20 {
            let before = notification.attempts.last?.date ?? next
            hours.append((next.millisecondsSince1970 - before.millisecondsSince1970) / 3_600_000)
            notification.attempts.append(NotificationAttempt(date: next, result: .unsuccessfulStatus))
        }
        #expect(hours == [0, 1, 12, 24, 48, 72])
        notification.attempts = [NotificationAttempt(date: TestStore.now, result: .success)]
        #expect(notification.isDelivered)
        #expect(notification.nextAttempt == nil)
    }

    @Test("The history is paged, and can be searched")
    func history() throws {
        var all: [StoreNotification] = []
        for index in 0..<45 {
            all.append(
                try notification(index == 3 ? .refund : .didRenew, at: TestStore.now.adding(seconds: Int64(index)))
            )
        }
        let history = NotificationHistory(notifications: all)
        let start = TestStore.now.millisecondsSince1970
        let body = Array(#"{"startDate":\#(start),"endDate":\#(start + 100_000)}"#.utf8)
        var token: String?
        var found: [Any] = []
        for more in [true, true, false] {
            let page = try JSON.object(try history.page(body, token: token))
            found += try #require(page["notificationHistory"] as? [Any])
            #expect(page["hasMore"] as? Bool == more)
            token = page["paginationToken"] as? String
        }
        #expect(found.count == 45)
        #expect(token == nil)
        let refund = #"{"startDate":\#(start),"endDate":\#(start + 100_000),"notificationType":"REFUND"}"#
        let refunds = try JSON.object(try history.page(Array(refund.utf8), token: nil))
        #expect((refunds["notificationHistory"] as? [Any])?.count == 1)
        #expect(throws: ServerAPIError.invalidPaginationToken) { try history.page(body, token: "x") }
        let first = try JSON.object(try history.page(body, token: nil))["paginationToken"] as? String
        let other = Array(#"{"startDate":\#(start + 1),"endDate":\#(start + 100_000)}"#.utf8)
        let expired = #expect(throws: ServerAPIError.self) { try history.page(other, token: first) }
        #expect(expired?.code == 4_000_017, "a token goes with the body that it was given for")
        #expect(throws: ServerAPIError.invalidStartDate) { try history.page(Array("{}".utf8), token: nil) }
        #expect(throws: ServerAPIError.startDateAfterEndDate) {
            try history.page(Array(#"{"startDate":2,"endDate":1}"#.utf8), token: nil)
        }
    }
}

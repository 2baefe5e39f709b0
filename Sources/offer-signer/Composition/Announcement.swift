import OfferAPI
import Synchronization

/// Says on standard output where the service is, once all its listeners accept requests at `http://HOST:PORT`.
final class Announcement: Sendable {
    private struct Addresses {
        var server: String?
        var admin: String?
        var notifications: String?
    }

    private let addresses = Mutex(Addresses())
    private let readiness: Readiness
    private let expectsNotifications: Bool

    init(readiness: Readiness, expectsNotifications: Bool) {
        self.readiness = readiness
        self.expectsNotifications = expectsNotifications
    }

    func serverListens(at address: String) { note { $0.server = address } }

    func adminListens(at address: String) { note { $0.admin = address } }

    func notificationsListen(at address: String) { note { $0.notifications = address } }

    private func note(_ change: (inout Addresses) -> Void) {
        let addresses = addresses.withLock { addresses in
            change(&addresses)
            return addresses
        }
        guard let server = addresses.server, let admin = addresses.admin,
            !expectsNotifications || addresses.notifications != nil
        else { return }
        readiness.enter(.ready)
        let more = addresses.notifications.map { ", notifications \($0)" } ?? ""
        // The reader of the line may be gone; requests are answered all the same.
        try? Console.result("offer-signer \(Version.current) is serving \(server), admin \(admin)\(more)")
    }
}

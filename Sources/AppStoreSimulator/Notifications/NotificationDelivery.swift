import Foundation

/// A notification that is due, and where it goes.
struct NotificationDelivery: Sendable {
    /// `notificationUUID`.
    let notificationId: String
    /// The app's server.
    let url: URL
    /// The signed notification.
    let signedPayload: String
}

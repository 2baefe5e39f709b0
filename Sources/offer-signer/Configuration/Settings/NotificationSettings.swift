/// The listener for App Store Server Notifications.
struct NotificationSettings: Equatable, Sendable {
    /// Where it accepts requests.
    let address: ListenAddress
}

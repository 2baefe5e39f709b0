/// Tells Apple's notifications from forgeries: the port to Apple's side.
public protocol NotificationReader: Sendable {
    /// Reads a notification.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body.
    /// - Returns: The notification.
    /// - Throws: ``NotificationFault`` when it is not Apple's, or not for an app of the catalog.
    func notification(_ signedPayload: String) throws(NotificationFault) -> AppleNotification
}

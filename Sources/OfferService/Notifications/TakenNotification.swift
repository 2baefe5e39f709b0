public import Offers

/// A notification that was taken.
public struct TakenNotification: Equatable, Sendable {
    /// What it was.
    public let notification: NotificationRecord
    /// Whether it was not seen before.
    public let isNew: Bool
}

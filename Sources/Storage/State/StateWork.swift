import Offers

/// What is written at once: an observation, and the notification that it is from.
struct StateWork: Sendable {
    /// The notification; `nil` for evidence.
    let notification: NotificationRecord?
    /// What was seen.
    let observation: StateObservation
    /// The generation of what was held then; `nil` where that is not known, and for notifications.
    ///
    /// Evidence leaves nothing behind once somebody was forgotten after it, maybe its customer: it is sent again.
    /// Notifications are not.
    var generation: Int64?

    /// Whether it may still be written.
    ///
    /// - Parameter current: The generation of what is held now.
    /// - Returns: Whether nobody was forgotten meanwhile, as far as it matters.
    func isDue(in current: Int64) -> Bool { generation.map { $0 == current } ?? true }
}

import Offers

/// What is written at once: a lesson, and the notification that it is from.
struct StateWork: Sendable {
    /// The notification; `nil` for evidence.
    let notification: NotificationRecord?
    /// What is learnt.
    let lesson: StateLesson
}

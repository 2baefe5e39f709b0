/// What is learnt at once, from one piece of evidence or one notification.
public struct StateLesson: Equatable, Sendable {
    /// What is learnt of each subscription.
    public let subscriptions: [HeldSubscription]
    /// That all subscriptions of the account are among them; `nil` when that is not known.
    public let mark: AccountHistoryMark?

    /// Creates a lesson.
    ///
    /// - Parameters:
    ///   - subscriptions: What is learnt of each subscription.
    ///   - mark: That all subscriptions of the account are among them.
    public init(subscriptions: [HeldSubscription], mark: AccountHistoryMark? = nil) {
        self.subscriptions = subscriptions
        self.mark = mark
    }

    /// Whether there is nothing to learn.
    public var isEmpty: Bool { subscriptions.isEmpty && mark == nil }
}

/// The held state of subscriptions: the port to storage.
package protocol SubscriptionStates: Sendable {
    /// Answers all questions in one look, without waiting; `nil` when the store has to be waited for, by ``held(_:)``.
    func atHand(_ questions: [StateQuestion]) -> [Book]?

    /// Answers all questions, in their order, by one question to the store.
    func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>]

    /// Learns from evidence: without waiting, and counted from now on.
    ///
    /// It is on durable storage some time later. When the store does not keep up, or a crash comes first, it is
    /// forgotten: the evidence can be sent again.
    func learn(_ said: Book)

    /// Saves a notification and learns from it; when this returns, its effect is on durable storage.
    ///
    /// It returns `false` when the notification was saved before, and throws when nothing of it is saved.
    func save(_ notification: NotificationRecord, _ said: Book) async throws(StorageFailure)
        -> Bool
}

/// The subscriptions and the account that a decision asks held state for.
package struct StateQuestion: Equatable, Sendable {
    package let bundleId: String
    package let account: AccountDigest?
    /// The subscriptions that the evidence names.
    package let subscriptions: [SubscriptionIdentity]

    package init(bundleId: String, account: AccountDigest?, subscriptions: [SubscriptionIdentity] = []) {
        self.bundleId = bundleId
        self.account = account
        self.subscriptions = subscriptions
    }
}

extension SubscriptionStates {
    package func atHand(_ question: StateQuestion) -> Book? { atHand([question])?.first }

    package func held(_ question: StateQuestion) async throws(StorageFailure) -> Book {
        guard let answer = await held([question]).first else {
            throw StorageFailure(.unavailable, "the store gave no answer")
        }
        return try answer.get()
    }
}

/// Where the state of subscriptions is held: the port to storage.
public protocol SubscriptionStates: Sendable {
    /// What is held, without waiting: read once for all questions.
    ///
    /// - Parameter questions: What is asked.
    /// - Returns: An answer for each, in their order; `nil` when the store has to be waited for, by ``held(_:)``.
    func atHand(_ questions: [StateQuestion]) -> [HeldState]?

    /// What is held: one question to the store for all that is asked.
    ///
    /// - Parameter questions: What is asked.
    /// - Returns: For each, in their order, what is held, or why it cannot be read.
    func held(_ questions: [StateQuestion]) async -> [Result<HeldState, StateStoreFailure>]

    /// Learns from evidence: without waiting, and counted from now on.
    ///
    /// It is on durable storage some time later. When the store does not keep up, or a crash comes first, it is
    /// forgotten: the evidence can be sent again.
    ///
    /// - Parameter observation: What is learnt.
    func learn(_ observation: StateObservation)

    /// Keeps a notification and learns from it; when this returns, its effect is on durable storage.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - observation: What is learnt from it.
    /// - Returns: `false` when the notification was kept before.
    /// - Throws: ``StateStoreFailure`` when it cannot be kept: then nothing of it is.
    func keep(_ notification: NotificationRecord, _ observation: StateObservation) async throws(StateStoreFailure)
        -> Bool

    /// Forgets a customer: the subscriptions that belong to the account, with all that is held of them.
    ///
    /// - Parameter account: The account.
    /// - Returns: How many subscriptions were forgotten.
    /// - Throws: ``StateStoreFailure`` when nothing could be forgotten.
    func forget(_ account: AccountDigest) async throws(StateStoreFailure) -> Int
}

extension SubscriptionStates {
    /// What is held, without waiting.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held; `nil` when the store has to be waited for.
    public func atHand(_ question: StateQuestion) -> HeldState? { atHand([question])?.first }

    /// What is held.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held.
    /// - Throws: ``StateStoreFailure`` when it cannot be read.
    public func held(_ question: StateQuestion) async throws(StateStoreFailure) -> HeldState {
        guard let answer = await held([question]).first else {
            throw StateStoreFailure(detail: "the store gave no answer")
        }
        return try answer.get()
    }
}

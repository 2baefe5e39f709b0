/// The held state of subscriptions: the port to storage.
package protocol SubscriptionStates: Sendable {
    /// Reads held state without waiting, in one look for all questions.
    ///
    /// - Parameter questions: What is asked.
    /// - Returns: An answer for each, in their order; `nil` when the store has to be waited for, by ``held(_:)``.
    func atHand(_ questions: [StateQuestion]) -> [HeldState]?

    /// Reads held state, by one question to the store.
    ///
    /// - Parameter questions: What is asked.
    /// - Returns: For each, in their order, its answer, or why there is none.
    func held(_ questions: [StateQuestion]) async -> [Result<HeldState, StorageFailure>]

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
    /// - Throws: ``StorageFailure`` when it cannot be kept: then nothing of it is.
    func keep(_ notification: NotificationRecord, _ observation: StateObservation) async throws(StorageFailure)
        -> Bool

    /// Forgets a customer: the subscriptions that belong to the account, with all that is held of them.
    ///
    /// - Parameter account: The account.
    /// - Returns: How many subscriptions were forgotten.
    /// - Throws: ``StorageFailure`` when nothing could be forgotten.
    func forget(_ account: AccountDigest) async throws(StorageFailure) -> Int
}

/// The subscriptions and the account that a decision asks held state for.
package struct StateQuestion: Equatable, Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The account; `nil` for none.
    package let account: AccountDigest?
    /// The subscriptions that the evidence names.
    package let subscriptions: [SubscriptionIdentity]

    /// Asks.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account.
    ///   - subscriptions: The subscriptions that the evidence names.
    package init(bundleId: String, account: AccountDigest?, subscriptions: [SubscriptionIdentity] = []) {
        self.bundleId = bundleId
        self.account = account
        self.subscriptions = subscriptions
    }
}

extension SubscriptionStates {
    /// Reads held state without waiting.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held; `nil` when the store has to be waited for.
    package func atHand(_ question: StateQuestion) -> HeldState? { atHand([question])?.first }

    /// Reads held state.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held.
    /// - Throws: ``StorageFailure`` when it cannot be read.
    package func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState {
        guard let answer = await held([question]).first else {
            throw StorageFailure(.unavailable, "the store gave no answer")
        }
        return try answer.get()
    }
}

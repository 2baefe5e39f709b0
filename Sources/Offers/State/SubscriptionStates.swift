/// The held state of subscriptions: the port to storage.
public protocol SubscriptionStates: Sendable {
    /// Reads held state without waiting.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held; `nil` when the store has to be asked, by ``held(_:)``.
    func atHand(_ question: StateQuestion) -> HeldState?

    /// Reads held state.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held.
    /// - Throws: ``StorageFailure`` when it cannot be read.
    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState

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
public struct StateQuestion: Equatable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The account; `nil` for none.
    public let account: AccountDigest?
    /// The subscriptions that the evidence names.
    public let subscriptions: [SubscriptionIdentity]

    /// Asks.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account.
    ///   - subscriptions: The subscriptions that the evidence names.
    public init(bundleId: String, account: AccountDigest?, subscriptions: [SubscriptionIdentity] = []) {
        self.bundleId = bundleId
        self.account = account
        self.subscriptions = subscriptions
    }
}

import Offers

/// Where held state is kept: an SQLite file or a PostgreSQL database.
///
/// Blocking calls, for the thread of ``DurableSubscriptionStates``, but for the two that requests come with.
protocol StateStore: Sendable {
    /// Reads held state on the thread that asks, which may be an event loop's: nothing is waited for.
    ///
    /// - Parameter questions: What is asked, all of it at one moment.
    /// - Returns: The answers in their order; `nil` where they would have to be waited for.
    /// - Throws: ``StorageFailure``.
    func heldAtOnce(_ questions: [StateQuestion]) throws(StorageFailure) -> [HeldState]?

    /// Reads held state; it is called from a request's task.
    ///
    /// - Parameter questions: What is asked, in one question to the database.
    /// - Returns: What is held, in their order, or why it cannot be read.
    func held(_ questions: [StateQuestion]) async -> [Result<HeldState, StorageFailure>]

    /// Writes in one transaction; when it returns, all is on durable storage.
    ///
    /// - Parameter works: What to write, merged into what is held.
    /// - Returns: For each whether it was new: `false` for a notification that was kept before, and for evidence that is
    ///   not due any more (``StateWork/isDue(in:)``); these change nothing.
    /// - Throws: ``StorageFailure``; nothing is written then.
    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool]

    /// Forgets a customer, and begins a new generation.
    ///
    /// - Parameter account: The account.
    /// - Returns: How many subscriptions were forgotten.
    /// - Throws: ``StorageFailure``.
    func forget(_ account: AccountDigest) throws(StorageFailure) -> Int

    /// The generation of what is held: it changes whenever something is forgotten, by whichever process.
    ///
    /// - Returns: Its number.
    /// - Throws: ``StorageFailure``.
    func generation() throws(StorageFailure) -> Int64

    /// Deletes the names of notifications that Apple no longer repeats.
    ///
    /// - Parameter limit: Those that came before are deleted.
    /// - Throws: ``StorageFailure``.
    func deleteNotifications(before limit: Timestamp) throws(StorageFailure)

    /// How many subscriptions are held; beyond a million, about so many.
    ///
    /// - Returns: Their number.
    /// - Throws: ``StorageFailure``.
    func count() throws(StorageFailure) -> Int
}

/// A piece of work for the writer: an observation, and the notification that it is from.
struct StateWork: Sendable {
    /// The notification; `nil` for evidence.
    let notification: NotificationRecord?
    /// The observation.
    let observation: StateObservation
    /// The generation of held state then; `nil` where that is not known, and for notifications.
    ///
    /// Evidence leaves nothing behind once somebody was forgotten after it, maybe its customer: it is sent again.
    /// Notifications are not.
    var generation: Int64?

    /// Whether it may still be written.
    ///
    /// - Parameter current: The generation of held state now.
    /// - Returns: Whether nobody was forgotten meanwhile, as far as it matters.
    func isDue(in current: Int64) -> Bool { generation.map { $0 == current } ?? true }
}

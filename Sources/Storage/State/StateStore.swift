import Offers

/// Where held state is kept: an SQLite file or a PostgreSQL database.
///
/// Blocking calls, for the thread of ``DurableSubscriptionStates``, but for the two that requests come with.
protocol StateStore: Sendable {
    /// What is held, read on the thread that asks, which may be an event loop's: nothing is waited for.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held; `nil` where it would have to be waited for.
    /// - Throws: ``StorageFailure``.
    func heldAtOnce(_ question: StateQuestion) throws(StorageFailure) -> HeldState?

    /// What is held; it is called from a request's task.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held.
    /// - Throws: ``StorageFailure``.
    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState

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

    /// How many subscriptions are held.
    ///
    /// - Returns: Their number.
    /// - Throws: ``StorageFailure``.
    func count() throws(StorageFailure) -> Int
}

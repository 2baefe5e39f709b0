import Offers

/// What a database does for the ledger: blocking calls, which ``DurableLedger`` makes from one thread of its own.
protocol LedgerStore: Sendable {
    /// Writes entries in one transaction, in their order; limits are checked as each is written.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - isWanted: Asked when all but the commit is done, however long somebody else kept the database locked: `false`
    ///     takes everything back.
    /// - Returns: For each entry the outcomes of its grants. All is on durable storage then.
    /// - Throws: ``StorageFailure`` when nothing was written, as far as is known; with the code `abandoned` when it was
    ///   no longer wanted.
    func commit(
        _ entries: [LedgerEntry],
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> [[GrantOutcome]]

    /// Whether another transaction keeps what an entry is counted by, as was found when that was waited for in vain.
    ///
    /// - Parameter entry: The entry.
    /// - Returns: Whether a commit with it would wait again.
    func isKept(_ entry: LedgerEntry) -> Bool

    /// Notes that an operator knows of all that the database has lost.
    ///
    /// - Returns: The losses that nobody had acknowledged.
    /// - Throws: ``StorageFailure``.
    func acknowledgeLosses() throws(StorageFailure) -> [LedgerLoss]

    /// Looks again what other transactions keep.
    func reviewKept()

    /// Writes a little, to find out whether the database takes it again.
    ///
    /// - Throws: ``StorageFailure`` when it does not.
    func probe() throws(StorageFailure)

    /// Signs how far the chain is, where it has grown since the last time, and the ends of chains whose writers are gone.
    ///
    /// - Throws: ``StorageFailure``.
    func writeCheckpoint() throws(StorageFailure)

    /// Signs the chain's end. What is recorded afterwards begins another one.
    ///
    /// - Throws: ``StorageFailure``.
    func endChain() throws(StorageFailure)

    /// Deletes some of what is older than the ledger keeps it, and signs what was deleted.
    ///
    /// One short step, as nothing is signed meanwhile.
    ///
    /// - Parameter moment: The moment that days are counted back from.
    /// - Returns: How many rows were deleted; 0 when nothing is left that is old enough.
    /// - Throws: ``StorageFailure``.
    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int

    /// The time of the newest record before a moment, by whichever service.
    ///
    /// - Parameter moment: The moment.
    /// - Returns: Its time; `nil` when there is none.
    /// - Throws: ``StorageFailure``.
    func newestRecord(before moment: Timestamp) throws(StorageFailure) -> Timestamp?

    /// Deletes which subscriptions were presented for a customer.
    ///
    /// - Parameters:
    ///   - customer: The customer's text.
    ///   - bundleId: The app.
    /// - Returns: How many they were.
    /// - Throws: ``StorageFailure``.
    func forgetPresentations(of customer: String, bundleId: String) throws(StorageFailure) -> Int

    /// Counts what is known of a customer, beside whoever writes; it comes from a request's task.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts.
    /// - Throws: ``StorageFailure``.
    func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer

    /// Counts what is known of a customer on the thread that asks, which may be an event loop's: nothing is waited for.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts; `nil` where they would have to be waited for.
    /// - Throws: ``StorageFailure``.
    func answerAtOnce(to question: LedgerQuestion) throws(StorageFailure) -> LedgerAnswer?
}

extension LedgerStore {
    func isKept(_ entry: LedgerEntry) -> Bool { false }

    func reviewKept() {}

    func acknowledgeLosses() -> [LedgerLoss] { [] }

    func answerAtOnce(to question: LedgerQuestion) -> LedgerAnswer? { nil }

    /// Writes entries, however long it takes.
    func commit(_ entries: [LedgerEntry]) throws(StorageFailure) -> [[GrantOutcome]] {
        try commit(entries, while: { true })
    }
}

import Offers

/// The database's part of the ledger: blocking calls, which ``DurableLedger`` makes from one thread of its own.
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

    /// Signs the chain's end. A later record begins another one.
    ///
    /// - Throws: ``StorageFailure``.
    func endChain() throws(StorageFailure)

    /// Deletes some of what is older than the ledger keeps it, and signs what was deleted.
    ///
    /// One short step, as nothing is signed meanwhile.
    ///
    /// - Parameter moment: The moment that days are counted back from.
    /// - Returns: How many rows were deleted, and 1 at least where more has to be looked through; 0 when nothing is left
    ///   that is old enough.
    /// - Throws: ``StorageFailure``.
    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int

    /// Deletes some of the answers to calls that are older than they are kept; another short step.
    ///
    /// - Parameter moment: The moment before which they were given.
    /// - Returns: How many were deleted.
    /// - Throws: ``StorageFailure``.
    func deleteAnswers(before moment: Timestamp) throws(StorageFailure) -> Int

    /// The recent answer to a call, read beside the writer; it comes from a call's task.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - now: The server's clock.
    /// - Returns: The answer's bytes; `nil` where there is none.
    /// - Throws: ``StorageFailure``.
    func keptAnswer(to call: RetentionCallKey, at now: Timestamp) async throws(StorageFailure) -> [UInt8]?

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

    /// Counts for a customer, beside the writer; called from a request's task.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts.
    /// - Throws: ``StorageFailure``.
    func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer

    /// Counts for a customer on the calling thread, which may be an event loop's, without waiting.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts; `nil` where they would have to be waited for.
    /// - Throws: ``StorageFailure``.
    func answerAtOnce(to question: LedgerQuestion) throws(StorageFailure) -> LedgerAnswer?
}

extension LedgerStore {
    func deleteAnswers(before moment: Timestamp) -> Int { 0 }

    func keptAnswer(to call: RetentionCallKey, at now: Timestamp) -> [UInt8]? { nil }

    func isKept(_ entry: LedgerEntry) -> Bool { false }

    func reviewKept() {}

    func acknowledgeLosses() -> [LedgerLoss] { [] }

    func answerAtOnce(to question: LedgerQuestion) -> LedgerAnswer? { nil }

    /// Writes entries, however long it takes.
    func commit(_ entries: [LedgerEntry]) throws(StorageFailure) -> [[GrantOutcome]] {
        try commit(entries, while: { true })
    }
}

extension LedgerStore {
    /// How old a record has to be before its time is believed, in seconds: a day.
    private static var secondsUntilBelieved: Int64 { 86_400 }
    /// How far the clock is believed to be beyond that record, in seconds: thirty days without a signature.
    private static var longestPauseSeconds: Int64 { 30 * 86_400 }

    /// Deletes some of what is older than the ledger keeps it, as far as the clock can be believed.
    ///
    /// Days are counted back from the clock, which is believed up to thirty days after the newest record that is a day old.
    /// So a clock that is years ahead deletes little before its time until the service has signed by that clock for a
    /// day, whatever is started again meanwhile; a service that was away for longer deletes later.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: How many rows were deleted; 0 when nothing is left that is old enough.
    /// - Throws: ``StorageFailure``.
    func deleteOld(byClock now: Timestamp) throws(StorageFailure) -> Int {
        guard let known = try newestRecord(before: now.adding(seconds: -Self.secondsUntilBelieved)) else { return 0 }
        return try deleteOld(countingFrom: min(now, known.adding(seconds: Self.longestPauseSeconds)))
    }
}

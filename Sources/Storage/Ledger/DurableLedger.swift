import Dispatch
package import Offers
import Synchronization

/// The ledger: takes entries, and reports their outcomes once they are on durable storage.
///
/// One thread writes. Every second it signs a checkpoint, at a stop it signs the end of the chain, and every hour it
/// deletes records older than the retention, unless the clock is known to be wrong.
package final class DurableLedger: RetentionLedger {
    /// The most counts that are read at once: it happens on an event loop that others wait for.
    private static let fewCounts = 16

    private let store: LedgerStore
    private let group: GroupCommit<LedgerEntry, [GrantOutcome]>
    private let writer = DispatchQueue(label: "ledger.writer", qos: .userInitiated)
    private let upkeepTimer: UpkeepTimer
    private let upkeepFailure = Mutex<StorageFailure?>(nil)
    private let observer = CommitObserver()
    private let shared = SharedEvidence()
    private let isClosed = Mutex(false)
    private let isProving = Mutex(false)
    private let isClockRight: @Sendable () -> Bool
    private let now: @Sendable () -> Timestamp

    /// Opens a ledger for writing, and with it the states that wait; while the clock is known to be wrong nothing is
    /// deleted.
    init(
        _ store: LedgerStore,
        states: DurableSubscriptionStates? = nil,
        bounds: GroupCommit<LedgerEntry, [GrantOutcome]>.Bounds = .init(),
        isClockRight: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.isClockRight = isClockRight
        self.now = now
        group = GroupCommit(
            bounds: bounds,
            on: writer,
            isKept: { store.isKept($0) },
            review: { store.reviewKept() },
            probe: { () throws(StorageFailure) in try store.probe() },
            commit: { [observer, shared] (entries, isWanted) throws(StorageFailure) in
                let start = ContinuousClock.now
                let commit = { (merge: StateMerge?) throws(StorageFailure) in
                    try store.commit(entries, with: merge, while: isWanted)
                }
                let outcomes = if let states { try states.lend(to: commit) } else { try commit(nil).outcomes }
                observer.note(entries, outcomes, .now - start)
                shared.note(entries, outcomes)
                return outcomes
            }
        )
        upkeepTimer = UpkeepTimer(on: writer)
        upkeepTimer.start { [weak self] isHour in
            self?.signCheckpoint()
            if isHour { self?.deleteOld() }
        }
        // Processes that crashed have left chains without an end: this ends them.
        writer.async { [weak self] in self?.signCheckpoint() }
    }

    /// Opens the ledger in a database, with keys that are the same for all who share it; its commits write held state, too.
    ///
    /// Records are kept for so many days, or for ever (`nil`).
    package convenience init(
        in database: any SQLDatabase,
        with states: DurableSubscriptionStates? = nil,
        keys: LedgerKeys,
        retentionDays: Int? = nil,
        isClockRight: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> Timestamp
    ) {
        let store = LedgerStore(database, keys: keys, retentionDays: retentionDays, now: now)
        self.init(store, states: states, isClockRight: isClockRight, now: now)
    }

    /// Has it reported how long each commit took and how many records it wrote: on the thread that writes, which must not
    /// wait.
    package func observeCommits(_ observe: @escaping @Sendable (_ duration: Duration, _ records: Int) -> Void) {
        observer.observe(observe)
    }

    /// Forgets which subscriptions were presented for a customer (see `Account.customer(by:)`), and gives their number.
    ///
    /// Answers to the customer's requests are forgotten, too; records of signatures stay.
    package func forget(customer: String, bundleId: String) async throws(StorageFailure) -> Int {
        try await writer.perform { [store] () throws(StorageFailure) in
            try store.forgetAnswers(to: customer, bundleId: bundleId)
            return try store.forgetPresentations(of: customer, bundleId: bundleId)
        }
    }

    package var waiting: Int { group.waiting }

    /// What keeps entries from being written, in a sentence; `nil` when nothing does.
    package var fault: String? {
        if let failure = group.failure { return "ledger: \(failure); nothing is signed until it can be written again" }
        guard isProving.withLock({ $0 }), !group.hasWritten else { return nil }
        return "ledger: nothing has been written yet, so it is not known whether it can be"
    }

    /// Tries to write before any entry comes, and waits for the result for a while; until it has written, ``fault`` says that
    /// nothing is known.
    package func prove(within patience: Duration) {
        isProving.withLock { $0 = true }
        let done = DispatchSemaphore(value: 0)
        group.prove { done.signal() }
        _ = done.wait(timeout: .now() + .milliseconds(Int(patience.milliseconds)))
    }

    /// Notes that an operator knows of the records that the database has lost, and gives the losses that nobody had
    /// acknowledged.
    package func acknowledgeLosses() throws(StorageFailure) -> [LedgerLoss] { try store.acknowledgeLosses() }

    /// What keeps checkpoints from being signed or old records from being deleted, or kept an entry out for its values, in
    /// a sentence; `nil` when nothing does.
    package var warning: String? {
        upkeepFailure.withLock { $0 }.map { "ledger: its upkeep failed: \($0.detail)" }
            ?? group.refusal.map { "ledger: \($0); what this was for was not signed" }
    }

    package func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (Result<[[GrantOutcome]], StorageFailure>) -> Void
    ) {
        group.append(entries, completion: completion)
    }

    /// Appends an entry if its commit begins before a moment.
    package func append(
        _ entry: LedgerEntry,
        until moment: ContinuousClock.Instant
    ) async throws(StorageFailure) -> [GrantOutcome] {
        let result = await withCheckedContinuation { continuation in
            group.append([entry], until: moment) { continuation.resume(returning: $0) }
        }
        return try result.get().first ?? []
    }

    package func keptAnswer(to call: AnsweredCall, at now: Timestamp) -> Step<GrantOutcome?, StorageFailure> {
        store.keptAnswer(to: call, at: now)
    }

    package func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        try await store.answer(to: question)
    }

    /// Counts for a customer at once, if there are few counts and they can be read without waiting; else `nil`.
    package func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer? {
        guard question.offers.count + question.originalTransactionIds.count <= Self.fewCounts else { return nil }
        return try? store.answerAtOnce(to: question)
    }

    package func isSuspect(_ subscription: SubscriptionIdentity) -> Bool {
        shared.contains(
            PresentedSubscription(
                bundleId: subscription.bundleId,
                environment: subscription.environment.rawValue,
                originalTransactionId: subscription.originalTransactionId
            )
        )
    }

    /// Takes no more entries, writes those that wait, and signs the end of the chain.
    package func close() {
        isClosed.withLock { $0 = true }
        upkeepTimer.stop()
        group.close()
        writer.sync { trying { () throws(StorageFailure) in try store.endChain() } }
    }

    private func signCheckpoint() {
        guard group.failure == nil else { return }
        trying { () throws(StorageFailure) in try store.writeCheckpoint() }
    }

    private func trying(_ upkeep: () throws(StorageFailure) -> Void) {
        do throws(StorageFailure) {
            try upkeep()
            upkeepFailure.withLock { $0 = nil }
        } catch {
            upkeepFailure.withLock { $0 = error }
            // Nothing may be signed: the writer finds the same, and says so.
            if [.recordsLost, .setBack, .malformed].contains(error.code) { group.prove {} }
        }
    }

    /// Deletes in steps, so that commits can come between two of them; a failed step is tried again soon.
    private func deleteOld() {
        guard !isClosed.withLock({ $0 }) else { return }
        guard group.failure == nil, isClockRight() else { return upkeepTimer.tryAgain() }
        do throws(StorageFailure) {
            let answers = try store.deleteAnswers(before: now().adding(seconds: -KeptAnswer.lifetimeSeconds))
            guard try store.deleteOld(byClock: now()) + answers > 0 else { return }
            writer.async { [weak self] in self?.deleteOld() }
        } catch {
            upkeepFailure.withLock { $0 = error }
            upkeepTimer.tryAgain()
        }
    }
}

/// Reports how long each commit took, and how many records it wrote.
final class CommitObserver: Sendable {
    /// A function in a value of its own: by itself it would be wrapped once more at each look at what the mutex guards,
    /// which is generic, and the wrappings would pile up.
    private struct Observer {
        let report: @Sendable (Duration, Int) -> Void
    }

    private let observer = Mutex<Observer?>(nil)

    func observe(_ observe: @escaping @Sendable (Duration, Int) -> Void) {
        observer.withLock { $0 = Observer(report: observe) }
    }

    func note(_ entries: [LedgerEntry], _ outcomes: [[GrantOutcome]], _ duration: Duration) {
        guard let observer = observer.withLock({ $0 }) else { return }
        var records = 0
        // Indices avoid copies of an entry or a grant with all that it refers to.
        for index in 0..<min(entries.count, outcomes.count) {
            for place in 0..<min(entries[index].grants.count, outcomes[index].count)
            where outcomes[index][place] == .recorded {
                records += entries[index].grants[place].signatures.count
            }
        }
        observer.report(duration, records)
    }
}

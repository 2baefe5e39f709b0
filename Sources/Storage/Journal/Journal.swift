import Dispatch
package import Offers
import Synchronization

/// All that has to be durable, and the only one who writes it: signatures' records, what Apple said, counts, presentations,
/// holdouts, product reports and answers to repeated calls, in one queue, one commit after another.
///
/// An entry that an answer waits for is answered once it is on durable storage; the others ride along (``JournalWriter``).
/// Every second a checkpoint of the ledger's chain is signed, at a stop the chain's end, and every hour what is older than its
/// retention is deleted, unless the clock is known to be wrong.
package final class Journal: Sendable {
    /// How much may wait, and for how long.
    struct Bounds: Sendable {
        var queue = GroupCommit<JournalEntry, JournalOutcome>.Bounds()
        /// The most observations that wait to be written; evidence leaves nothing behind beyond.
        var observations = 4096
        /// The most of one commit, an observation counted as often as it has subscriptions.
        var commit = 256
        /// How long what rides along waits for a commit before it gets one of its own.
        var linger = DispatchTimeInterval.milliseconds(50)
        /// The days for which a notification is remembered: Apple repeats for six days, and longer when asked.
        var notificationDays = 180
    }

    let store: LedgerStore
    let group: GroupCommit<JournalEntry, JournalOutcome>
    let writer: JournalWriter
    let queue = DispatchQueue(label: "journal.writer", qos: .userInitiated)
    private let bounds: Bounds
    private let upkeepTimer: UpkeepTimer
    private let upkeepFailure = Mutex<StorageFailure?>(nil)
    private let isClosed = Mutex(false)
    private let isProving = Mutex(false)
    private let isClockRight: @Sendable () -> Bool
    private let now: @Sendable () -> Timestamp

    /// Opens a ledger for writing, and with it the states in the same database; while the clock is known to be wrong nothing
    /// is deleted.
    init(
        _ store: LedgerStore,
        bounds: Bounds = .init(),
        isClockRight: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.bounds = bounds
        self.isClockRight = isClockRight
        self.now = now
        let states = StateStore(
            store.database,
            digestKey: store.keys.digestKey,
            retentionDays: store.retentionDays,
            now: now
        )
        let writer = JournalWriter(
            store,
            HeldStates(states, waiting: bounds.observations, commit: bounds.commit),
            Statistics(now: now),
            on: queue,
            linger: bounds.linger
        )
        self.writer = writer
        group = GroupCommit(
            bounds: bounds.queue,
            on: queue,
            probe: { () throws(StorageFailure) in try store.probe() },
            commit: { (entries, isWanted) throws(StorageFailure) in try writer.commit(entries, while: isWanted) }
        )
        upkeepTimer = UpkeepTimer(on: queue)
        upkeepTimer.start { [weak self] isHour in
            self?.signCheckpoint()
            self?.writer.held.noticeForgotten()
            self?.writer.held.readAgain()
            self?.writeRiders()
            if isHour { self?.deleteOld() }
        }
        // Processes that crashed have left chains without an end: this ends them.
        queue.async { [weak self] in self?.signCheckpoint() }
    }

    /// Opens the journal in a database, with keys that are the same for all who share it.
    ///
    /// Records and redemptions are held for so many days, and subscriptions for so many after their end, or for ever (`nil`).
    package convenience init(
        in database: any SQLDatabase,
        keys: LedgerKeys,
        retentionDays: Int? = nil,
        endedSubscriptionDays: Int? = nil,
        isClockRight: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> Timestamp
    ) {
        let store = LedgerStore(
            database,
            keys: keys,
            retentionDays: retentionDays,
            endedSubscriptionDays: endedSubscriptionDays,
            now: now
        )
        self.init(store, isClockRight: isClockRight, now: now)
    }

    /// Has it reported how long each commit took and how many records it wrote: on the thread that writes, which must not
    /// wait.
    package func observeCommits(_ observe: @escaping @Sendable (_ duration: Duration, _ records: Int) -> Void) {
        writer.observer.observe(observe)
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

    /// Records that an operator knows of the records that the database has lost, and gives the losses that nobody had
    /// acknowledged.
    package func acknowledgeLosses() throws(StorageFailure) -> [LedgerLoss] { try store.acknowledgeLosses() }

    /// What keeps checkpoints from being signed or what is old from being deleted, or an entry was refused for its values, in
    /// a sentence; `nil` when nothing does.
    package var warning: String? {
        upkeepFailure.withLock { $0 }.map { "ledger: its upkeep failed: \($0.detail)" }
            ?? group.refusal.map { "ledger: \($0); what this was for was not signed" }
    }

    /// Takes no more entries, writes those that wait and what rides along, and signs the end of the chain.
    package func close() {
        isClosed.withLock { $0 = true }
        upkeepTimer.stop()
        group.close()
        queue.sync {
            writer.writeRiders(isLast: true)
            trying { () throws(StorageFailure) in try store.endChain() }
        }
    }

    /// Writes statistics that are due, and what could not be written before: not while nothing can be written.
    private func writeRiders() {
        guard group.failure == nil, writer.failure != nil || writer.statistics.isDue else { return }
        writer.writeRiders()
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
        let moment = now()
        do throws(StorageFailure) {
            try writer.held.store.deleteNotifications(before: moment.adding(days: -bounds.notificationDays))
            var count = try store.deleteAnswers(before: moment.adding(seconds: -KeptAnswer.lifetimeSeconds))
            count += try store.deleteHoldouts(byClock: moment) + store.deleteOld(byClock: moment)
            count += try deleteOldStates(byClock: moment)
            guard count > 0 else { return }
            queue.async { [weak self] in self?.deleteOld() }
        } catch {
            upkeepFailure.withLock { $0 = error }
            upkeepTimer.tryAgain()
        }
    }
}

import Dispatch
package import Offers
import Synchronization

/// Held state on durable storage.
///
/// What evidence shows is written off the path of requests: by the ledger's next commit, so that a new customer's record
/// and state are one, or a little later by a thread of its own. A notification is answered once its effect is on durable
/// storage. Each look-up reads the store, and lays over it whatever waits to be written.
/// Another process that forgets a customer is noticed within a second, by the store's generation: then what evidence
/// showed before and is not written yet is let go.
package final class DurableSubscriptionStates: SubscriptionStates {
    /// How much may wait, and for how long.
    struct Bounds: Sendable {
        /// The most observations that wait to be written; evidence leaves nothing behind beyond.
        var waiting = 4096
        /// The most of one commit, an observation counted as often as it has subscriptions.
        var commit = 256
        /// How long evidence waits for more, so that many observations make one commit.
        var linger = DispatchTimeInterval.milliseconds(50)
        var rest = DispatchTimeInterval.seconds(1)
        /// The days for which a notification is remembered: Apple repeats for six days, and longer when asked.
        var notificationDays = 180
    }

    private typealias Waiting = UnwrittenStates.Waiting

    private struct State {
        var unwritten: UnwrittenStates
        var generation: Int64?
    }

    private let store: StateStore
    private let bounds: Bounds
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>
    private let health = ReadHealth()
    private let counted = RecentFigure<Int>()
    private let writer = DispatchQueue(label: "state.writer", qos: .utility)
    /// Held while a batch is written, by the writer or by the ledger's.
    private let hand = Mutex(())
    private let timer: UpkeepTimer

    init(_ store: StateStore, bounds: Bounds = Bounds(), now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.bounds = bounds
        self.now = now
        state = Mutex(
            State(
                unwritten: UnwrittenStates(most: bounds.waiting, batchSize: bounds.commit),
                generation: try? store.generation()
            )
        )
        timer = UpkeepTimer(on: writer)
        timer.start { [weak self] isHour in
            self?.noticeForgotten()
            self?.readAgain()
            if isHour { self?.deleteOld() }
        }
    }

    /// Opens the held state of a database, which other services may share: what one sees, all know.
    ///
    /// The key is that of the ledger's digests, by which redemptions find their signatures.
    package convenience init(
        in database: any SQLDatabase,
        digestKey: DigestKey,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.init(StateStore(database, digestKey: digestKey), now: now)
    }

    /// What keeps state from being written, in a sentence; `nil` when nothing does.
    package var fault: String? {
        state.withLock { $0.unwritten.failure }.map { "state: \($0.detail); Apple's notifications are put off" }
    }

    /// What keeps state from being read, in a sentence; `nil` when nothing does, or has for less than a second.
    package var readFault: String? {
        health.failure.map { "state: \($0.detail); nothing is signed until what is held of customers can be read" }
    }

    /// What of the evidence and notifications since the start was not kept, in a sentence; `nil` when all of it was.
    package var warning: String? {
        let (dropped, refusal) = state.withLock { ($0.unwritten.dropped, $0.unwritten.refusal) }
        let sentences = [
            dropped == 0
                ? nil
                : "observations let go: \(dropped), as \(bounds.waiting) others waited to be written; such evidence counts "
                    + "again when it is sent again",
            refusal.map { refusal in
                "observations that could not be kept: \(refusal.count); the last: \(refusal.detail)"
            },
        ].compactMap(\.self)
        return sentences.isEmpty ? nil : "state: " + sentences.joined(separator: "; ")
    }

    /// How many subscriptions were held when they were counted last, and how long ago; `nil` before the first count is done.
    package var recentCount: (value: Int, age: Duration)? {
        counted.latest { [store] in await DispatchQueue.global(qos: .utility).perform { try? store.count() } }
    }

    package func atHand(_ questions: [StateQuestion]) -> [Book]? {
        var asked = questions
        for _ in 0..<3 {
            let glances = glances(at: asked)
            let number = health.begin()
            guard var held = try? store.heldAtOnce(Self.adding(glances.map(\.others), to: asked)) else {
                health.forget(number)
                return nil
            }
            health.noteSuccess(number)
            guard let more = lay(over: &held, for: asked, since: glances) else { return held }
            asked = Self.adding(more, to: asked)
        }
        return nil
    }

    package func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        let glances = glances(at: questions)
        let number = health.begin()
        let answers = await store.held(Self.adding(glances.map(\.others), to: questions))
        health.note(answers, of: questions, number)
        var held = answers.map { (try? $0.get()) ?? Book() }
        if let more = lay(over: &held, for: questions, since: glances) {
            return await self.held(Self.adding(more, to: questions))
        }
        return zip(answers, held).map { answer, held in
            answer.map { _ in held }
        }
    }

    /// Looks at what waits to be written, before something is read.
    private func glances(at questions: [StateQuestion]) -> [UnwrittenStates.Glance] {
        state.withLock { state in questions.map { state.unwritten.glance(at: $0) } }
    }

    private static func adding(
        _ others: [Set<SubscriptionIdentity>],
        to questions: [StateQuestion]
    ) -> [StateQuestion] {
        zip(questions, others).map { $0.adding($1) }
    }

    /// Lays what waits to be written over what was read; `nil` when that is all.
    ///
    /// Otherwise all has to be read again, with these subscriptions for each question.
    private func lay(
        over held: inout [Book],
        for questions: [StateQuestion],
        since glances: [UnwrittenStates.Glance]
    ) -> [Set<SubscriptionIdentity>]? {
        let missing = state.withLock { state in
            questions.indices.map { index in
                state.unwritten.lay(over: &held[index], for: questions[index], since: glances[index])
            }
        }
        guard missing.allSatisfy({ $0 == nil }) else { return missing.map { $0 ?? [] } }
        for index in questions.indices { held[index].leaveOut(beyond: questions[index]) }
        return nil
    }

    package func learn(_ observation: Book) {
        let isFirst = state.withLock { state in
            let work = StateWork(notification: nil, observation: observation, generation: state.generation)
            return state.unwritten.add(evidence: Waiting(work: work, completion: nil))
        }
        if isFirst { writeSoon() }
    }

    /// Writes what waits after a while, unless the ledger's commits take it along meanwhile.
    private func writeSoon() {
        let lent = state.withLock { $0.unwritten.lent }
        writer.asyncAfter(deadline: .now() + bounds.linger) {
            if self.state.withLock({ $0.unwritten.lent }) == lent { self.writeAll() } else { self.writeSoon() }
        }
    }

    /// Makes a commit of the ledger, which merges what evidence has shown if it is given some; it answers with what was new
    /// of that.
    ///
    /// State that does not fit refuses no signature: the commit is made again without it, and the writer tries it by itself.
    func lend(
        to commit: (StateMerge?) throws(StorageFailure) -> (outcomes: [[GrantOutcome]], news: [Bool])
    ) throws(StorageFailure) -> [[GrantOutcome]] {
        let committed = try hand.withLockIfAvailable { _ throws(StorageFailure) -> [[GrantOutcome]]? in
            let batch = state.withLock { $0.unwritten.lend() }
            guard !batch.isEmpty else { return nil }
            do throws(StorageFailure) {
                let (outcomes, news) = try commit(store.merge(of: batch.map(\.work)))
                finish(batch, Dictionary(uniqueKeysWithValues: zip(batch.indices, news))) {
                    state.withLock { $0.unwritten.wrote() }
                }
                return outcomes
            } catch {
                state.withLock { $0.unwritten.takeBack() }
                writer.async { self.writeAll() }
                // Only after these is it certain that nothing was written.
                guard [.refused, .locked, .malformed].contains(error.code) else { throw error }
                return nil
            }
        }
        if case let outcomes?? = committed { return outcomes }
        return try commit(nil).outcomes
    }

    package func keep(
        _ notification: NotificationRecord,
        _ observation: Book
    ) async throws(StorageFailure) -> Bool {
        let result: Result<Bool, StorageFailure> = await withCheckedContinuation { continuation in
            let work = Waiting(
                work: StateWork(notification: notification, observation: observation),
                completion: { continuation.resume(returning: $0) }
            )
            if state.withLock({ $0.unwritten.add(notification: work) }) {
                writer.async { self.writeAll() }
            } else {
                work.completion?(.failure(StorageFailure(.unavailable, "state cannot be written now")))
            }
        }
        return try result.get()
    }

    package func forget(_ account: AccountDigest) async throws(StorageFailure) -> Int {
        try await writer.perform { () throws(StorageFailure) in
            self.writeAll()
            let count = try self.store.forget(account)
            let generation = try? self.store.generation()
            self.state.withLock { state in
                state.generation = generation
                generation.map { state.unwritten.letGo(before: $0) }
            }
            return count
        }
    }

    /// Writes what waits, and returns when it is on durable storage or has failed.
    package func close() {
        timer.stop()
        writer.sync { writeAll() }
    }

    /// Writes commit after commit, until nothing waits.
    private func writeAll() {
        while hand.withLock({ _ in writeNext() }) {}
    }

    /// Makes a commit; `false` when nothing waits, or nothing can be written now.
    private func writeNext() -> Bool {
        let batch = state.withLock { $0.unwritten.take() }
        guard !batch.isEmpty else { return false }
        var refused: Set<Int> = []
        var outcomes: [Int: Bool] = [:]
        do throws(StorageFailure) {
            try writeInHalves(Array(batch.indices)[...]) { piece throws(StorageFailure) in
                for (index, isNew) in zip(piece, try store.commit(piece.map { batch[$0].work })) {
                    outcomes[index] = isNew
                }
            } refused: { index, error in
                refused.insert(index)
                let others = batch.indices.filter { !refused.contains($0) }.map { batch[$0] }
                state.withLock { $0.unwritten.refused(beside: others, error) }
                batch[index].completion?(.failure(error))
            }
            finish(batch, outcomes) { state.withLock { $0.unwritten.wrote() } }
            return true
        } catch {
            let rest = batch.indices.filter { outcomes[$0] == nil && !refused.contains($0) }.map { batch[$0] }
            finish(batch, outcomes) { fail(rest, error) }
            return false
        }
    }

    /// Says of notifications that they were kept, once what was written is let go of.
    private func finish(_ batch: [Waiting], _ outcomes: [Int: Bool], lettingGo letGo: () -> Void) {
        letGo()
        for (index, isNew) in outcomes { batch[index].completion?(.success(isNew)) }
        // Evidence that is not due came before somebody was forgotten: nothing of it may stay in memory either.
        if outcomes.contains(where: { batch[$0].work.notification == nil && !$1 }) { noticeForgotten() }
    }

    /// Puts evidence back, says of notifications that they were not kept, and rests.
    private func fail(_ batch: [Waiting], _ failure: StorageFailure) {
        for waiting in state.withLock({ $0.unwritten.failed(batch, failure) }) {
            waiting.completion?(.failure(failure))
        }
        writer.asyncAfter(deadline: .now() + bounds.rest) { [weak self] in self?.tryAgain() }
    }

    /// Looks whether the store can be read again, and writes what waits.
    private func tryAgain() {
        guard (try? store.deleteNotifications(before: oldest)) != nil else {
            writer.asyncAfter(deadline: .now() + bounds.rest) { [weak self] in self?.tryAgain() }
            return
        }
        state.withLock { $0.unwritten.recovered() }
        writeAll()
    }

    private var oldest: Timestamp { now().adding(days: -bounds.notificationDays) }

    /// Notices that another process has forgotten somebody.
    private func noticeForgotten() {
        guard let generation = try? store.generation() else { return }
        state.withLock { state in
            defer { state.generation = generation }
            guard let known = state.generation, known != generation else { return }
            state.unwritten.letGo(before: generation)
        }
    }

    /// Looks whether the store can be read again: who is not ready is asked nothing that would show it.
    private func readAgain() {
        guard let question = health.question else { return }
        Task { _ = await held([question]) }
    }

    private func deleteOld() {
        if (try? store.deleteNotifications(before: oldest)) == nil { timer.tryAgain() }
    }
}

import Dispatch
public import Offers
import Synchronization

/// Held state on durable storage, with what was used lately in memory.
///
/// One thread writes. What evidence teaches is written a little later, off the path of requests; a notification is told
/// once its effect is on durable storage. What is in memory counts what waits to be written. Another process that
/// forgets a customer is noticed within a second, by the store's generation: then everything is read anew, and what
/// evidence taught before and is not written yet is let go.
public final class DurableSubscriptionStates: SubscriptionStates {
    /// How much may wait, and for how long.
    struct Bounds: Sendable {
        /// The most lessons that wait to be written; evidence teaches nothing beyond.
        var waiting = 4096
        /// The most of one commit, a lesson counted as often as it has subscriptions.
        var commit = 256
        /// How long evidence waits for more, so that many lessons make one commit.
        var linger = DispatchTimeInterval.milliseconds(50)
        /// How long the writer rests after a failure.
        var rest = DispatchTimeInterval.seconds(1)
        /// How many subscriptions, and how many accounts, each half of the memory holds.
        var cached = 5000
        /// Whether other services learn, too, so that what is in memory may be old and the store is asked each time.
        var isShared = false
        /// For how many days a notification is known to have been seen: Apple repeats for six, and by hand for longer.
        var notificationDays = 180
    }

    private typealias Waiting = LessonQueue.Waiting

    private struct State {
        var cache: StateCache
        var queue: LessonQueue
        var generation: Int64?
        /// Grows with each commit and each clearing: what was read before may be old.
        var version = 0
    }

    private let store: any StateStore
    private let bounds: Bounds
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>
    private let health = ReadHealth()
    private let counted = Mutex<(count: Int, at: ContinuousClock.Instant)?>(nil)
    private let writer = DispatchQueue(label: "state.writer", qos: .utility)
    private let timer: UpkeepTimer

    /// Opens held state.
    ///
    /// - Parameters:
    ///   - store: Where it is kept.
    ///   - bounds: How much may wait.
    ///   - now: The server's clock.
    init(_ store: any StateStore, bounds: Bounds = Bounds(), now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.bounds = bounds
        self.now = now
        state = Mutex(
            State(
                cache: StateCache(capacity: bounds.cached),
                queue: LessonQueue(most: bounds.waiting),
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

    /// What keeps state from being written, in a sentence; `nil` when nothing does.
    public var fault: String? {
        state.withLock { $0.queue.failure }.map { "state: \($0.detail); Apple's notifications are put off" }
    }

    /// What keeps state from being read, in a sentence; `nil` when nothing does, or has for less than a second.
    public var readFault: String? {
        health.failure.map { "state: \($0.detail); nothing is signed until what is held of customers can be read" }
    }

    /// What of the evidence and notifications since the start was not kept, in a sentence; `nil` when all of it was.
    public var warning: String? {
        let (dropped, refusal) = state.withLock { ($0.queue.dropped, $0.queue.refusal) }
        let sentences = [
            dropped == 0
                ? nil
                : "\(dropped) lessons of evidence were let go, as \(bounds.waiting) others waited to be written; such "
                    + "evidence teaches when it is sent again",
            refusal.map { refusal in
                "\(refusal.count) lessons of evidence and notifications could not be kept and were dropped; the last: "
                    + refusal.detail
            },
        ].compactMap(\.self)
        return sentences.isEmpty ? nil : "state: " + sentences.joined(separator: "; ")
    }

    /// How many subscriptions are held.
    ///
    /// - Returns: The number; `nil` when it cannot be told.
    public func count() -> Int? { try? store.count() }

    /// How many subscriptions were held within the last minute: counting many of them takes long.
    ///
    /// - Returns: The number; `nil` when it cannot be told.
    public func recentCount() async -> Int? {
        if let known = counted.withLock({ $0 }), known.at.duration(to: .now) < .seconds(60) { return known.count }
        let count = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: self.count()) }
        }
        counted.withLock { $0 = count.map { (count: $0, at: .now) } }
        return count
    }

    /// What is held, when it is in memory.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held; `nil` when the store has to be asked.
    public func atHand(_ question: StateQuestion) -> HeldState? {
        guard !bounds.isShared else { return nil }
        return state.withLock { $0.cache.state(for: question) }
    }

    /// What is held.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: What is held.
    /// - Throws: `StateStoreFailure` when it cannot be read.
    public func held(_ question: StateQuestion) async throws(StateStoreFailure) -> HeldState {
        if let known = atHand(question) { return known }
        return try await read(question)
    }

    /// Learns from evidence.
    ///
    /// - Parameter lesson: What is learnt.
    public func learn(_ lesson: StateLesson) {
        let isFirst = state.withLock { state in
            guard state.queue.hasRoomForEvidence(), state.cache.learn(lesson) else { return false }
            let work = StateWork(notification: nil, lesson: lesson, generation: state.generation)
            return state.queue.add(evidence: Waiting(work: work, completion: nil))
        }
        if isFirst { writer.asyncAfter(deadline: .now() + bounds.linger) { self.writeAll() } }
    }

    /// Keeps a notification and learns from it; when this returns, its effect is on durable storage.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - lesson: What is learnt from it.
    /// - Returns: `false` when the notification was kept before.
    /// - Throws: `StateStoreFailure` when it cannot be kept.
    public func keep(
        _ notification: NotificationRecord,
        _ lesson: StateLesson
    ) async throws(StateStoreFailure) -> Bool {
        let result: Result<Bool, StateStoreFailure> = await withCheckedContinuation { continuation in
            let work = Waiting(
                work: StateWork(notification: notification, lesson: lesson),
                completion: { continuation.resume(returning: $0) }
            )
            if state.withLock({ $0.queue.add(notification: work) }) {
                writer.async { self.writeAll() }
            } else {
                work.completion?(.failure(StateStoreFailure(detail: "state cannot be written now")))
            }
        }
        return try result.get()
    }

    /// Forgets a customer.
    ///
    /// - Parameter account: The account.
    /// - Returns: How many subscriptions were forgotten.
    /// - Throws: `StateStoreFailure` when nothing could be forgotten.
    public func forget(_ account: AccountDigest) async throws(StateStoreFailure) -> Int {
        let result: Result<Int, StateStoreFailure> = await withCheckedContinuation { continuation in
            writer.async {
                self.writeAll()
                do throws(StorageFailure) {
                    let count = try self.store.forget(account)
                    let generation = try? self.store.generation()
                    self.state.withLock { state in
                        state.generation = generation
                        state.cache.clear()
                        state.version += 1
                    }
                    continuation.resume(returning: .success(count))
                } catch {
                    continuation.resume(returning: .failure(StateStoreFailure(detail: error.detail)))
                }
            }
        }
        return try result.get()
    }

    /// Writes what waits, and returns when it is on durable storage or has failed.
    public func close() {
        timer.stop()
        writer.sync { writeAll() }
    }

    /// Reads, and keeps in memory what nobody has changed meanwhile.
    private func read(_ question: StateQuestion) async throws(StateStoreFailure) -> HeldState {
        // What waits now may be written, and wait no longer, while the store is read as it was before.
        let (version, before) = state.withLock { ($0.version, $0.queue.unwritten) }
        var held: HeldState
        let number = health.begin()
        do throws(StorageFailure) {
            held = try await store.held(question)
            health.noteSuccess(number)
        } catch {
            health.note(error, of: question, number)
            throw StateStoreFailure(detail: error.detail)
        }
        state.withLock { state in
            let read = held
            held.learn((before + state.queue.unwritten).lazy.map(\.work.lesson), for: question)
            // What waits may be of a subscription that was not read: all of it can be told once it is written.
            let isAll = held == read
            held.leaveOut(beyond: question)
            if state.version == version, isAll { state.cache.keep(held, for: question) }
        }
        return held
    }

    /// Writes commit after commit, until nothing waits.
    private func writeAll() {
        while true {
            let batch = state.withLock { $0.queue.take(bounds.commit) }
            guard !batch.isEmpty else { return }
            // One piece, unless the store refuses it for its values: then its halves, down to the lesson at fault.
            var pieces = [batch]
            while let piece = pieces.popLast() {
                let rest = Array(pieces.reversed().joined())
                do throws(StorageFailure) {
                    try write(piece, before: rest)
                } catch {
                    guard error.code == .refused else { return fail(piece + rest, error) }
                    guard piece.count > 1 else {
                        drop(piece, before: rest, error)
                        continue
                    }
                    pieces.append(Array(piece.dropFirst(piece.count / 2)))
                    pieces.append(Array(piece.prefix(piece.count / 2)))
                }
            }
        }
    }

    private func write(_ batch: [Waiting], before rest: [Waiting]) throws(StorageFailure) {
        let outcomes = try store.commit(batch.map(\.work))
        state.withLock { state in
            for waiting in batch where waiting.work.notification != nil {
                _ = state.cache.learn(waiting.work.lesson)
            }
            state.queue.wrote(before: rest)
            state.version += 1
        }
        for (waiting, isNew) in zip(batch, outcomes) { waiting.completion?(.success(isNew)) }
        // What was not due was learnt before somebody was forgotten: nothing of it may stay in memory either.
        if zip(batch, outcomes).contains(where: { $0.work.notification == nil && !$1 }) { noticeForgotten() }
    }

    /// Lets go of what the store will never take, in memory, too: it would be told until it fell out of there.
    private func drop(_ refused: [Waiting], before rest: [Waiting], _ failure: StorageFailure) {
        state.withLock { state in
            state.cache.clear()
            state.queue.refused(refused, before: rest, failure)
            state.version += 1
        }
        for waiting in refused { waiting.completion?(.failure(StateStoreFailure(detail: failure.detail))) }
    }

    /// Puts evidence's lessons back, tells notifications that they were not kept, and rests.
    private func fail(_ batch: [Waiting], _ failure: StorageFailure) {
        for waiting in state.withLock({ $0.queue.failed(batch, failure) }) {
            waiting.completion?(.failure(StateStoreFailure(detail: failure.detail)))
        }
        writer.asyncAfter(deadline: .now() + bounds.rest) { [weak self] in self?.tryAgain() }
    }

    /// Looks whether the store can be read again, and writes what waits.
    private func tryAgain() {
        guard (try? store.deleteNotifications(before: oldest)) != nil else {
            writer.asyncAfter(deadline: .now() + bounds.rest) { [weak self] in self?.tryAgain() }
            return
        }
        state.withLock { $0.queue.recovered() }
        writeAll()
    }

    private var oldest: Timestamp { now().adding(days: -bounds.notificationDays) }

    /// Notices that another process has forgotten somebody.
    private func noticeForgotten() {
        guard let generation = try? store.generation() else { return }
        state.withLock { state in
            defer { state.generation = generation }
            guard let known = state.generation, known != generation else { return }
            state.cache.clear()
            state.version += 1
        }
    }

    /// Looks whether the store can be read again: who is not ready is asked nothing that would show it.
    private func readAgain() {
        guard let question = health.question else { return }
        Task { _ = try? await read(question) }
    }

    /// Deletes the names of notifications that Apple no longer repeats.
    private func deleteOld() {
        if (try? store.deleteNotifications(before: oldest)) == nil { timer.tryAgain() }
    }
}

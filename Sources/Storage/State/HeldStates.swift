import Dispatch
import Offers
import Synchronization

/// Held state as it counts: what is stored, with what waits to be written laid over it.
///
/// The journal writes; this reads, and holds what evidence has shown until it is written. Another process that forgets a
/// customer is noticed within a second, by the store's generation: then what evidence showed before and is not written yet is
/// let go.
final class HeldStates: Sendable {
    private struct State {
        var unwritten: UnwrittenStates
        var generation: Int64?
    }

    let store: StateStore
    private let state: Mutex<State>
    private let health = ReadHealth()
    private let counted = RecentFigure<Int>()
    let endedLook = Mutex(EndedLook())

    /// Takes how many observations may wait to be written, and how many one commit writes.
    init(_ store: StateStore, waiting: Int, commit: Int) {
        self.store = store
        state = Mutex(
            State(unwritten: UnwrittenStates(most: waiting, batchSize: commit), generation: try? store.generation())
        )
    }

    // MARK: Reading

    /// What keeps state from being read; `nil` when nothing does, or has for less than a second.
    var readFailure: StorageFailure? { health.failure }

    /// How many subscriptions were held when they were counted last, and how long ago; `nil` before the first count is done.
    var recentCount: (value: Int, age: Duration)? {
        counted.latest { [store] in await DispatchQueue.global(qos: .utility).perform { try? store.count() } }
    }

    func atHand(_ questions: [StateQuestion]) -> [Book]? {
        var asked = questions
        for _ in 0..<3 {
            let glances = glances(at: asked)
            let number = health.begin()
            guard var held = try? store.heldAtOnce(Self.adding(glances.map(\.others), to: asked)) else {
                health.forget(number)
                return nil
            }
            health.recordSuccess(number)
            guard let more = overlay(&held, for: asked, since: glances) else { return held }
            asked = Self.adding(more, to: asked)
        }
        return nil
    }

    func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        let glances = glances(at: questions)
        let number = health.begin()
        let answers = await store.held(Self.adding(glances.map(\.others), to: questions))
        health.record(answers, of: questions, number)
        var held = answers.map { (try? $0.get()) ?? Book() }
        if let more = overlay(&held, for: questions, since: glances) {
            return await self.held(Self.adding(more, to: questions))
        }
        return zip(answers, held).map { answer, held in
            answer.map { _ in held }
        }
    }

    /// Reads again what could not be read last: who is not ready is asked nothing that would show it.
    func readAgain() {
        guard let question = health.question else { return }
        Task { _ = await held([question]) }
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
    private func overlay(
        _ held: inout [Book],
        for questions: [StateQuestion],
        since glances: [UnwrittenStates.Glance]
    ) -> [Set<SubscriptionIdentity>]? {
        let missing = state.withLock { state in
            questions.indices.map { index in
                state.unwritten.overlay(&held[index], for: questions[index], since: glances[index])
            }
        }
        guard missing.allSatisfy({ $0 == nil }) else { return missing.map { $0 ?? [] } }
        for index in questions.indices { held[index].leaveOut(beyond: questions[index]) }
        return nil
    }

    // MARK: Writing

    /// What of the evidence since the start was not stored, in a sentence; `nil` when all of it was.
    var warning: String? {
        let (dropped, refusal, most) = state.withLock {
            ($0.unwritten.dropped, $0.unwritten.refusal, $0.unwritten.most)
        }
        let sentences = [
            dropped == 0
                ? nil
                : "observations let go: \(dropped), as \(most) others waited to be written; such evidence counts "
                    + "again when it is sent again",
            refusal.map { refusal in
                "observations that could not be kept: \(refusal.count); the last: \(refusal.detail)"
            },
        ].compactMap(\.self)
        return sentences.isEmpty ? nil : "state: " + sentences.joined(separator: "; ")
    }

    /// Adds what evidence has shown.
    func add(_ observation: Book) {
        state.withLock { state in
            state.unwritten.add(StateWork(notification: nil, observation: observation, generation: state.generation))
        }
    }

    /// How many batches were taken to be written; `nil` where nothing waits.
    var taken: Int? { state.withLock { $0.unwritten.isEmpty ? nil : $0.unwritten.taken } }

    func dequeueBatch() -> [StateWork] { state.withLock { $0.unwritten.dequeueBatch() } }

    /// Puts back all that was taken: nothing of it is written.
    func requeueBatch() { state.withLock { $0.unwritten.requeueBatch() } }

    /// Lets go of what was taken, but for works that had to be left out.
    func wrote(leavingOut aside: [StateWork], isDue: Bool) {
        state.withLock { $0.unwritten.wrote(leavingOut: aside) }
        // Evidence that is not due came before somebody was forgotten: nothing of it may stay in memory either.
        if !isDue { noticeForgotten() }
    }

    /// Lets go of a work that the store will never take, beside others that were taken.
    func refused(_ cause: StorageFailure, beside others: [StateWork]) {
        state.withLock { $0.unwritten.refused(cause, beside: others) }
    }

    /// Notices that another process has forgotten somebody.
    func noticeForgotten() {
        guard let generation = try? store.generation() else { return }
        state.withLock { state in
            defer { state.generation = generation }
            guard let known = state.generation, known != generation else { return }
            state.unwritten.letGo(before: generation)
        }
    }
}

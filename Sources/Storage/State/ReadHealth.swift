import Offers
import Synchronization

/// Whether held state can be read: what was asked last when it could not, until something is read again, and how long
/// what is asked now goes without an answer.
final class ReadHealth: Sendable {
    private struct Failed {
        let failure: StorageFailure
        let question: StateQuestion
        /// When it began; nothing was read since.
        let since: ContinuousClock.Instant
    }

    private struct State {
        var failed: Failed?
        /// When each question was asked that has no answer yet, by its number.
        var open: [Int: ContinuousClock.Instant] = [:]
        var lastNumber = 0
        var lastSuccess: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Something is asked; gives the question's number.
    func begin() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.open[state.lastNumber] = .now
            return state.lastNumber
        }
    }

    func forget(_ number: Int) { state.withLock { $0.open[number] = nil } }

    func recordSuccess(_ number: Int) {
        state.withLock { state in
            state.open[number] = nil
            state.failed = nil
            state.lastSuccess = .now
        }
    }

    /// Something was answered; one row that cannot be read is no fault of the store's.
    func record(_ answers: [Result<Book, StorageFailure>], of questions: [StateQuestion], _ number: Int) {
        let isRead = answers.contains { if case .success = $0 { true } else { false } }
        guard !isRead, let question = questions.first, case .failure(let failure) = answers.first else {
            return recordSuccess(number)
        }
        state.withLock { state in
            let asked = state.open.removeValue(forKey: number)
            state.failed = Failed(failure: failure, question: question, since: state.failed?.since ?? asked ?? .now)
        }
    }

    /// What could not be read last; `nil` where the last could.
    var question: StateQuestion? { state.withLock { $0.failed?.question } }

    /// What keeps state from being read; `nil` when nothing does, or has for less than a second.
    var failure: StorageFailure? {
        state.withLock { state in
            let now = ContinuousClock.now
            if let failed = state.failed, failed.since.duration(to: now) >= .seconds(1) { return failed.failure }
            // One that takes long while others are answered is no fault.
            let silence = state.open.values.filter { asked in state.lastSuccess.map { $0 < asked } ?? true }.min()
            guard let silence, silence.duration(to: now) >= .seconds(1) else { return nil }
            return StorageFailure(.unavailable, "a question is not answered for a second")
        }
    }
}

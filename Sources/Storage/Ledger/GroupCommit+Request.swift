import Offers
import Synchronization

extension GroupCommit {
    /// The items of one caller, and its completion, which is called once: by the writer or by the deadline.
    final class Request: Sendable {
        let items: [Item]
        let due: ContinuousClock.Instant

        /// A function in a value of its own: by itself it would be wrapped once more at each look at what the mutex
        /// guards, which is generic.
        private struct Caller {
            let complete: Completion
        }

        private struct State {
            var caller: Caller?
            /// Whether the commit has begun that it is a part of.
            var isCommitting = false
        }

        private let state: Mutex<State>

        init(_ items: [Item], due: ContinuousClock.Instant, _ completion: @escaping Completion) {
            self.items = items
            self.due = due
            state = Mutex(State(caller: Caller(complete: completion)))
        }

        var isFinished: Bool { state.withLock { $0.caller == nil } }

        func finish(_ result: Result<[Outcome], StorageFailure>) {
            let caller = state.withLock { state in
                defer { state.caller = nil }
                return state.caller
            }
            caller?.complete(result)
        }

        /// Notes that the commit begins; `false` where the caller has its result already.
        func beginCommit() -> Bool {
            state.withLock { state in
                state.isCommitting = state.caller != nil
                return state.isCommitting
            }
        }

        /// Notes that there was no commit.
        func takeBack() { state.withLock { $0.isCommitting = false } }

        /// Fails, unless the commit has begun: then nothing is taken back any more.
        func expire(_ failure: StorageFailure) {
            let caller = state.withLock { state -> Caller? in
                guard !state.isCommitting else { return nil }
                defer { state.caller = nil }
                return state.caller
            }
            caller?.complete(.failure(failure))
        }
    }
}

import Offers
import Synchronization

extension GroupCommit {
    /// The items of one caller, and its completion, which gets each item's outcome once: from the writer or at the deadline.
    final class Request: Sendable {
        private let all: [Item]
        /// When the writer is stuck if it is not written, and when its caller gets that answer.
        let due, end: ContinuousClock.Instant

        /// A function in a value of its own: by itself it would be wrapped once more at each look at what the mutex
        /// guards, which is generic.
        private struct Caller {
            let complete: Completion
        }

        private struct State {
            var caller: Caller?
            /// The places of the items without an outcome; `nil` while that is all of them.
            var left: [Int]?
            /// Whether the commit has begun that it is a part of.
            var isCommitting = false
            /// Whether an item would have had to wait for another transaction.
            var wasSetAside = false
        }

        private let state: Mutex<State>

        init(
            _ items: [Item],
            due: ContinuousClock.Instant,
            patience: Duration,
            _ completion: @escaping Completion
        ) {
            all = items
            (self.due, end) = (due, due + patience)
            state = Mutex(State(caller: Caller(complete: completion)))
        }

        /// The items without an outcome.
        var items: [Item] { state.withLock(\.left).map { $0.map { all[$0] } } ?? all }

        var count: Int { state.withLock(\.left)?.count ?? all.count }

        var isFinished: Bool { state.withLock { $0.caller == nil } }

        var wasSetAside: Bool { state.withLock(\.wasSetAside) }

        /// Reports the outcomes of its items, and keeps those without one; gives whether there are any.
        func settle(_ outcomes: ArraySlice<Outcome?>) -> Bool {
            let (caller, places, rest) = state.withLock { state -> (Caller?, [Int], [Int]) in
                let left = state.left ?? Array(all.indices)
                let rest = zip(left, outcomes).filter { $0.1 == nil }.map(\.0)
                defer {
                    state.left = rest
                    state.isCommitting = false
                    if rest.isEmpty { state.caller = nil } else { state.wasSetAside = true }
                }
                return (state.caller, rest.isEmpty ? left : left.filter { !rest.contains($0) }, rest)
            }
            if !places.isEmpty { caller?.complete(places, .success(outcomes.compactMap(\.self))) }
            return !rest.isEmpty
        }

        /// Fails the items that have no outcome yet.
        func fail(_ failure: StorageFailure) { end(failure) { _ in true } }

        /// Fails, unless the commit has begun: then nothing is taken back any more.
        func expire(_ failure: StorageFailure) { end(failure) { !$0.isCommitting } }

        private func end(_ failure: StorageFailure, where isDue: (State) -> Bool) {
            let (caller, places) = state.withLock { state -> (Caller?, [Int]) in
                guard isDue(state) else { return (nil, []) }
                defer { state.caller = nil }
                return (state.caller, state.left ?? Array(all.indices))
            }
            caller?.complete(places, .failure(failure))
        }

        /// Records that the commit begins; `false` where the caller has its result already.
        func beginCommit() -> Bool {
            state.withLock { state in
                state.isCommitting = state.caller != nil
                return state.isCommitting
            }
        }

        /// Records that there was no commit.
        func abortCommit() { state.withLock { $0.isCommitting = false } }
    }
}

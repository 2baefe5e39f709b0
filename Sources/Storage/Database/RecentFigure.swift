import Dispatch
import Synchronization

/// A figure that takes a while to find: nobody waits for it, and it says how old it is.
package final class RecentFigure<Value: Sendable>: Sendable {
    private struct Found {
        let value: Value
        let at: ContinuousClock.Instant
        /// How long it counts.
        let life: Duration
    }

    private struct State {
        var found: Found?
        var isLooking = false
    }

    private let life: Duration
    private let state = Mutex(State())

    /// It is found anew after so long, or a hundred times as long as finding it took.
    package init(life: Duration = .seconds(60)) { self.life = life }

    /// The figure as it was found last, and how long ago; `nil` before.
    ///
    /// One that is too old is looked for meanwhile: once at a time, and again at the next look where it was not found.
    package func latest(_ find: @escaping @Sendable () async -> Value?) -> (value: Value, age: Duration)? {
        let (found, isDue) = state.withLock { state in
            let isKnown = state.found.map { $0.at.duration(to: .now) < $0.life } ?? false
            let isDue = !state.isLooking && !isKnown
            if isDue { state.isLooking = true }
            return (state.found, isDue)
        }
        if isDue { Task { await refresh(find) } }
        return found.map { ($0.value, $0.at.duration(to: .now)) }
    }

    private func refresh(_ find: @Sendable () async -> Value?) async {
        let start = ContinuousClock.now
        let value = await find()
        let life = max(life, start.duration(to: .now) * 100)
        state.withLock { state in
            if let value { state.found = Found(value: value, at: start, life: life) }
            state.isLooking = false
        }
    }
}

extension DispatchQueue {
    /// Does work that blocks: databases do, and may not on a thread of the cooperative pool.
    func perform<Value: Sendable, Failure>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            self.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}

import Dispatch
import Synchronization

/// A figure that takes a while to find: it is looked for once a minute at the most.
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

        /// The figure, unless it is too old.
        var known: Value? { found.flatMap { $0.at.duration(to: .now) < $0.life ? $0.value : nil } }
    }

    private let find: @Sendable () -> Value?
    private let state = Mutex(State())

    /// Takes what finds the figure, and may wait for it; `nil` when it cannot be found now.
    init(_ find: @escaping @Sendable () -> Value?) { self.find = find }

    /// The figure as it was a minute ago or less, or a hundred times as long ago as finding it took.
    package var value: Value? {
        get async {
            if let known = state.withLock(\.known) { return known }
            return await look()
        }
    }

    /// The figure as it was found last, without a wait; `nil` before.
    ///
    /// One that is too old is looked for meanwhile.
    var latest: Value? {
        let (latest, isDue) = state.withLock { state in
            let isDue = !state.isLooking && state.known == nil
            if isDue { state.isLooking = true }
            return (state.found?.value, isDue)
        }
        if isDue {
            Task {
                _ = await look()
                state.withLock { $0.isLooking = false }
            }
        }
        return latest
    }

    private func look() async -> Value? {
        let start = ContinuousClock.now
        let value = await DispatchQueue.global(qos: .utility).perform { [find] in find() }
        let life = max(.seconds(60), start.duration(to: .now) * 100)
        if let value { state.withLock { $0.found = Found(value: value, at: .now, life: life) } }
        return value
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

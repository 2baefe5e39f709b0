import Dispatch
import Synchronization

/// A figure that takes long to find: it is looked for once a minute at the most, and its readers do not wait for that.
final class RecentFigure<Value: Sendable>: Sendable {
    private struct Found {
        let value: Value
        let at: ContinuousClock.Instant
        /// How long it counts.
        let life: Duration
    }

    private let find: @Sendable () -> Value?
    private let found = Mutex<Found?>(nil)

    /// Looks for nothing yet.
    ///
    /// - Parameter find: Finds the figure, and may wait for it; `nil` when it cannot be found now.
    init(_ find: @escaping @Sendable () -> Value?) {
        self.find = find
    }

    /// The figure as it was a minute ago or less, or a hundred times as long ago as finding it took.
    var value: Value? {
        get async {
            if let known = found.withLock({ $0 }), known.at.duration(to: .now) < known.life { return known.value }
            let start = ContinuousClock.now
            let value = await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: .utility).async { [find] in continuation.resume(returning: find()) }
            }
            let life = max(.seconds(60), start.duration(to: .now) * 100)
            found.withLock { $0 = value.map { Found(value: $0, at: .now, life: life) } }
            return value
        }
    }
}

import Synchronization

/// Waits for a value until a moment, and no longer.
package enum TimeLimit {
    /// Returns the value of some work, or `late` where it takes longer than until `due`.
    ///
    /// The work is cancelled then, and may still go on for a while: a call that waits for a database cannot be stopped.
    /// So it is in a task of its own, and no child of the caller's.
    package static func value<Value: Sendable>(
        by due: ContinuousClock.Instant,
        otherwise late: Value,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let caller = Caller(continuation)
            let task = Task { await work() }
            let timer = Task {
                try? await Task.sleep(until: due, clock: .continuous)
                guard !Task.isCancelled else { return }
                caller.resume(late)
                task.cancel()
            }
            Task {
                caller.resume(await task.value)
                timer.cancel()
            }
        }
    }

    /// The caller that waits: resumed once, with the first value.
    private final class Caller<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Value, Never>?>

        init(_ continuation: CheckedContinuation<Value, Never>) {
            self.continuation = Mutex(continuation)
        }

        func resume(_ value: Value) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: value)
        }
    }
}

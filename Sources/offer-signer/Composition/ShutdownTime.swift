import Synchronization

/// How much time is left of a shutdown.
final class ShutdownTime: Sendable {
    private let whole: Duration
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    init(seconds: Int) { whole = .seconds(seconds) }

    func begin() { began.withLock { $0 = $0 ?? .now } }

    /// Does the last work, and waits for it no longer than there is time: a second at least.
    ///
    /// Returns whether it was done in time; if not, it goes on.
    func finish(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        let begin = began.withLock { $0 } ?? .now
        let left = max(.seconds(1), whole - begin.duration(to: .now))
        return await withCheckedContinuation { continuation in
            let outcome = Outcome(continuation)
            Task.detached {
                await work()
                outcome.resume(true)
            }
            Task.detached {
                try? await Task.sleep(for: left)
                outcome.resume(false)
            }
        }
    }

    /// Resumes a continuation once.
    private final class Outcome: Sendable {
        private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

        init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

        func resume(_ value: Bool) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(returning: value)
        }
    }
}

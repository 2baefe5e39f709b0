import Dispatch
import Synchronization

/// Calls what keeps a store in order, on the store's own thread: again and again, and once an hour for more.
///
/// The hour's work is due at the first call. After a failure it is due again at the next one, and from then on after
/// pauses that double, as writers wait for it.
final class UpkeepTimer: Sendable {
    private static let hour = 3600

    private struct Hourly {
        var remaining = 0
        /// The seconds for which it rests after a failure.
        var pause = 1
        var hasFailed = false
    }

    private let hourly = Mutex(Hourly())
    // `nonisolated(unsafe)`: a dispatch source may be cancelled from any thread, and nothing else is done with it.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Calls nothing yet; then on this queue, every second.
    init(on queue: DispatchQueue) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        // libdispatch logs a deprecation where a source is activated without one.
        timer.setEventHandler {}
        timer.activate()
    }

    deinit { timer.cancel() }

    func start(_ tick: @escaping @Sendable (_ isHour: Bool) -> Void) {
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            tick(isHour())
        }
    }

    /// Has the hour's work due again before the hour is over: it failed.
    func tryAgain() {
        hourly.withLock { hourly in
            hourly.remaining = hourly.pause
            hourly.pause = min(2 * hourly.pause, Self.hour)
            hourly.hasFailed = true
        }
    }

    func stop() { timer.cancel() }

    private func isHour() -> Bool {
        hourly.withLock { hourly in
            hourly.remaining -= 1
            guard hourly.remaining <= 0 else { return false }
            hourly.remaining = Self.hour
            if !hourly.hasFailed { hourly.pause = 1 }
            hourly.hasFailed = false
            return true
        }
    }
}

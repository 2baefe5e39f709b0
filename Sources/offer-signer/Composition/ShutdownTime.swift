import OfferService
import Synchronization

/// How much time is left of a shutdown.
final class ShutdownTime: Sendable {
    private let whole: Duration
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    init(seconds: Int) { whole = .seconds(seconds) }

    func begin() { began.withLock { $0 = $0 ?? .now } }

    /// Does the last work, and waits for it no longer than there is time: a second at least.
    ///
    /// Returns whether it was done in time.
    func finish(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        let begin = began.withLock { $0 } ?? .now
        let left = max(.seconds(1), whole - begin.duration(to: .now))
        return await TimeLimit.value(by: .now + left, otherwise: false) {
            await work()
            return true
        }
    }
}

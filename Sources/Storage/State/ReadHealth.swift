import Offers
import Synchronization

/// Whether held state can be read: what was asked last when it could not, until something is read again.
final class ReadHealth: Sendable {
    private struct Failed {
        let failure: StorageFailure
        let question: StateQuestion
        /// When it began; nothing was read since.
        let since: ContinuousClock.Instant
    }

    private let failed = Mutex<Failed?>(nil)

    /// Something was read.
    func noteSuccess() { failed.withLock { $0 = nil } }

    /// Something could not be read.
    ///
    /// - Parameters:
    ///   - failure: Why.
    ///   - question: What was asked.
    func note(_ failure: StorageFailure, of question: StateQuestion) {
        failed.withLock { failed in
            failed = Failed(failure: failure, question: question, since: failed?.since ?? .now)
        }
    }

    /// What could not be read last; `nil` where the last could.
    var question: StateQuestion? { failed.withLock { $0?.question } }

    /// What keeps state from being read; `nil` when nothing does, or has for less than a second.
    var failure: StorageFailure? {
        failed.withLock { failed in
            guard let failed, failed.since.duration(to: .now) >= .seconds(1) else { return nil }
            return failed.failure
        }
    }
}

import Offers
import Synchronization

/// The answers of one process.
final class AnswerStore: Sendable {
    private let start = ContinuousClock.now
    private let cache = Mutex(AnswerCache())

    /// How many answers are kept.
    var count: Int { cache.withLock { $0.count } }

    /// The answer to a question, if it is still fresh.
    ///
    /// - Parameter key: What was asked.
    /// - Returns: The answer.
    func history(for key: QuestionKey) -> SubscriptionHistory? {
        let now = start.duration(to: .now)
        return cache.withLock { $0.history(for: key, at: now) }
    }

    /// Keeps an answer.
    ///
    /// - Parameters:
    ///   - history: The answer.
    ///   - key: What was asked.
    ///   - lifetimeSeconds: How long it is fresh, in seconds.
    func keep(_ history: SubscriptionHistory, for key: QuestionKey, lifetimeSeconds: Int) {
        let now = start.duration(to: .now)
        cache.withLock { $0.keep(history, for: key, lifetime: .seconds(lifetimeSeconds), at: now) }
    }
}

import Crypto
import Offers
import Synchronization

/// Answers of Apple for a short time, so that a customer who is asked about twice is looked up once.
///
/// A pure value over the time since some start; bounded, and what is forgotten first is of no consequence.
struct AnswerCache: Sendable {
    /// How many answers are kept.
    static let capacity = 4096

    private struct Entry {
        let history: SubscriptionHistory
        let until: Duration
    }

    private var entries: [QuestionKey: Entry] = [:]

    /// How many answers there are, those that are no longer fresh included.
    var count: Int { entries.count }

    /// The answer to a question, if it is still fresh.
    func history(for key: QuestionKey, at now: Duration) -> SubscriptionHistory? {
        guard let entry = entries[key], entry.until > now else { return nil }
        return entry.history
    }

    /// Keeps an answer.
    ///
    /// - Parameters:
    ///   - history: The answer.
    ///   - key: What was asked.
    ///   - lifetime: How long it is fresh; zero for not at all.
    ///   - now: The time.
    mutating func keep(_ history: SubscriptionHistory, for key: QuestionKey, lifetime: Duration, at now: Duration) {
        guard lifetime > .zero else { return }
        if entries.count >= Self.capacity { entries = entries.filter { $0.value.until > now } }
        if entries.count >= Self.capacity { entries.removeAll() }
        entries[key] = Entry(history: history, until: now + lifetime)
    }
}

/// The answers of one process.
final class AnswerStore: Sendable {
    private let start = ContinuousClock.now
    private let cache = Mutex(AnswerCache())

    /// How many answers are kept.
    var count: Int { cache.withLock { $0.count } }

    /// The answer to a question, if it is still fresh.
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

/// A question in little room: receipts are long, so their digest stands for them.
struct QuestionKey: Hashable, Sendable {
    private let bundleId: String
    private let isReceipt: Bool
    private let needsWholeHistory: Bool
    private let content: SHA256Digest

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - bundleId: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts.
    init(_ question: AppStoreQuestion, of bundleId: String, needsWholeHistory: Bool = false) {
        self.bundleId = bundleId
        self.needsWholeHistory = needsWholeHistory
        switch question {
        case .receipt(let base64):
            isReceipt = true
            content = SHA256.hash(data: Array(base64.utf8))
        case .transactionId(let id):
            isReceipt = false
            content = SHA256.hash(data: Array(id.utf8))
        }
    }
}

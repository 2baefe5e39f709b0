import Offers

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
    ///
    /// - Parameters:
    ///   - key: What was asked.
    ///   - now: The time.
    /// - Returns: The answer.
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

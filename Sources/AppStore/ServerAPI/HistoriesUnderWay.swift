import Synchronization

/// The histories that took longer to read than a question may take, for the next question to go on with.
///
/// Bounded: what is forgotten is read from the beginning.
final class HistoriesUnderWay: Sendable {
    /// How many are kept.
    static let capacity = 32
    /// How long one is kept: its date is that of its beginning.
    static let lifetime = Duration.seconds(300)

    private let histories = Mutex<[QuestionKey: HistoryUnderWay]>([:])

    /// Hands out what was read of a history, once.
    ///
    /// - Parameters:
    ///   - key: Whose history it is.
    ///   - now: The time.
    /// - Returns: The history so far; `nil` when it is to be read from the beginning.
    func take(_ key: QuestionKey, at now: ContinuousClock.Instant) -> HistoryUnderWay? {
        histories.withLock { $0.removeValue(forKey: key) }.flatMap { Self.isFresh($0, at: now) ? $0 : nil }
    }

    /// Keeps what was read of a history, unless there is no room but that of others of which as much was read.
    ///
    /// - Parameters:
    ///   - history: The history so far.
    ///   - key: Whose history it is.
    ///   - now: The time.
    func keep(_ history: HistoryUnderWay, for key: QuestionKey, at now: ContinuousClock.Instant) {
        histories.withLock { histories in
            histories = histories.filter { Self.isFresh($0.value, at: now) }
            if histories[key] == nil, histories.count >= Self.capacity {
                guard let least = histories.min(by: { $0.value.pages < $1.value.pages }),
                    least.value.pages < history.pages
                else { return }
                histories[least.key] = nil
            }
            histories[key] = history
        }
    }

    private static func isFresh(_ history: HistoryUnderWay, at now: ContinuousClock.Instant) -> Bool {
        history.beginning.duration(to: now) < lifetime
    }
}

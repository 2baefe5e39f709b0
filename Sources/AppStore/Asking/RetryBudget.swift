/// How often, and after which pauses, a question may be asked again: pure arithmetic over durations.
///
/// Three attempts inside one deadline. The pause before the second is 100 to 200 ms, before the third 200 to 400 ms:
/// half of it by chance, so that those who failed together do not come back together.
struct RetryBudget: Sendable {
    /// How often a question is asked at most, whichever environment it is sent to.
    static let maximumAttempts = 3

    private let deadline: Duration
    private var attempts = 1

    /// Starts a question.
    ///
    /// - Parameter deadline: How long all of it may take.
    init(deadline: Duration) {
        self.deadline = deadline
    }

    /// How long the attempt that begins now may take.
    ///
    /// All but the last leave time for another one.
    ///
    /// - Parameter elapsed: How long the question has taken so far.
    /// - Returns: The time; zero or less when there is none left.
    func timeout(at elapsed: Duration) -> Duration {
        let left = deadline - elapsed
        return attempts < Self.maximumAttempts ? left * 3 / 5 : left
    }

    /// Plans one more attempt.
    ///
    /// - Parameters:
    ///   - elapsed: How long the question has taken so far.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: How long to wait first; `nil` when there is no attempt or no time left.
    mutating func pause(at elapsed: Duration, chance: Double) -> Duration? {
        guard attempts < Self.maximumAttempts else { return nil }
        let half = Duration.milliseconds(100 * attempts)
        let pause = half + half * chance
        // An attempt of less than 100 ms would be a request for nothing.
        guard elapsed + pause + .milliseconds(100) < deadline else { return nil }
        attempts += 1
        return pause
    }
}

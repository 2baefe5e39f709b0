/// The course of one call: whether there is another attempt, and when.
///
/// It asks nobody itself.
struct RetryCourse {
    /// The longest pause where the answer names none.
    private static let longestPause = Duration.seconds(2)
    /// What is added to a pause that the answer names, at most, so that those refused together do not return together.
    private static let spread = Duration.milliseconds(250)
    /// An attempt that may take less than this would be a request for nothing.
    private static let shortestAttempt = Duration.milliseconds(100)

    private let policy: RetryPolicy
    private let repeats: Repeats
    private var attempts = 1

    /// Starts a call.
    ///
    /// - Parameters:
    ///   - policy: How often and for how long it may be tried.
    ///   - repeats: After which outcomes it may be.
    init(policy: RetryPolicy, repeats: Repeats) {
        self.policy = policy
        self.repeats = repeats
    }

    /// How long the attempt that begins now may take.
    ///
    /// - Parameter elapsed: How long the call has taken so far.
    /// - Returns: The time; zero or less when there is none left.
    func timeout(at elapsed: Duration) -> Duration {
        min(policy.attemptTimeout, policy.deadline - elapsed)
    }

    /// Plans another attempt.
    ///
    /// A pause that would not end before the deadline is not begun: the caller is told at once, and can use the time.
    ///
    /// - Parameters:
    ///   - fault: What the last one came to.
    ///   - elapsed: How long the call has taken so far.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: How long to wait first; `nil` when there is no other attempt.
    mutating func pause(after fault: AttemptFault, at elapsed: Duration, chance: Double) -> Duration? {
        guard attempts < policy.maximumAttempts else { return nil }
        let pause: Duration
        switch fault {
        case .final: return nil
        case .lost where repeats == .whenRefused: return nil
        case .refused(_, let retryAfter?), .lost(_, let retryAfter?): pause = retryAfter + Self.spread * chance
        case .refused, .lost:
            let half = min(Duration.milliseconds(100) * (1 << min(attempts - 1, 8)), Self.longestPause) / 2
            pause = half + half * chance
        }
        guard elapsed + pause + Self.shortestAttempt < policy.deadline else { return nil }
        attempts += 1
        return pause
    }
}

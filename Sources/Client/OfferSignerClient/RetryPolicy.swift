/// How often, and for how long, a call is tried.
public struct RetryPolicy: Equatable, Sendable {
    /// How often a call is sent at most; 1 for no second time.
    public let maximumAttempts: Int
    /// How long the call may take, all attempts and the waiting between them together.
    public let deadline: Duration
    /// How long one attempt may take.
    ///
    /// The service itself may wait for Apple, as long as its `appStore.timeoutSeconds`, 5 by default.
    public let attemptTimeout: Duration

    /// Creates a policy.
    public init(
        maximumAttempts: Int = 3,
        deadline: Duration = .seconds(15),
        attemptTimeout: Duration = .seconds(7)
    ) {
        self.maximumAttempts = max(maximumAttempts, 1)
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
    }

    /// One attempt, and no second.
    public static let none = RetryPolicy(maximumAttempts: 1)
}

/// The attempts of one call: whether there is another one, and when.
///
/// It asks nobody itself.
struct CallAttempts {
    /// The longest pause where the answer names none.
    private static let longestPause = Duration.seconds(2)
    /// The most that is added to a pause that the answer names: callers refused together do not return together.
    private static let spread = Duration.milliseconds(250)
    /// An attempt that may take less than this would be a request for nothing.
    private static let shortestAttempt = Duration.milliseconds(100)

    private let policy: RetryPolicy
    private let repeats: Repeats
    private var attempts = 1

    /// Starts a call.
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
    /// A pause that would not end before the deadline is not begun: the caller has the error at once instead.
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

/// The outcome of an attempt that brought no answer.
enum AttemptFault: Error, Equatable {
    /// The service refused for now, and did nothing (408, 429, and 503 but for `answer_timeout`).
    case refused(OfferSignerError, retryAfter: Duration?)
    /// Nobody knows whether the service did its work: the connection failed, a proxy had no answer (502 and 504), or the
    /// service had none in time (503 `answer_timeout`).
    case lost(OfferSignerError, retryAfter: Duration? = nil)
    /// Another attempt would end the same way.
    case final(OfferSignerError)

    /// The error that the caller gets when there is no further attempt.
    var error: OfferSignerError {
        switch self {
        case .refused(let error, _), .lost(let error, _), .final(let error): error
        }
    }
}

/// After which outcomes a call may be sent again.
enum Repeats: Sendable {
    /// Also when nobody knows whether the service did its work: twice is as good as once.
    case always
    /// Only when the service has said that it did not begin.
    case whenRefused
}

/// How often, and for how long, a call is tried.
public struct RetryPolicy: Equatable, Sendable {
    /// How often a call is sent at most; 1 for no second time.
    public let maximumAttempts: Int
    /// How long the call may take, all attempts and the waiting between them together.
    public let deadline: Duration
    /// How long one attempt may take.
    public let attemptTimeout: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often a call is sent at most; at least once.
    ///   - deadline: How long the call may take altogether.
    ///   - attemptTimeout: How long one attempt may take. The service itself may wait for Apple, as long as its
    ///     `appStore.timeoutSeconds`, 5 by default.
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

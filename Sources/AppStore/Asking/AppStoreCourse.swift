import Offers

/// The course of one question: which environment is asked, how often, and when it is given up.
///
/// It asks nobody itself.
struct AppStoreCourse<Answer: Sendable>: Sendable {
    /// The environment that is asked.
    private(set) var environment: AppStoreEnvironment
    private(set) var budget: RetryBudget
    /// Why the other environment is asked now; `nil` before.
    private var reasonToSwitch: EvidenceFault?
    private var hasRetriedOnce = false

    /// Starts a question.
    ///
    /// - Parameters:
    ///   - environment: The environment to ask first.
    ///   - deadline: How long all of it may take.
    init(startingIn environment: AppStoreEnvironment, deadline: Duration) {
        self.environment = environment
        self.budget = RetryBudget(deadline: deadline)
    }

    /// Decides what comes after a request.
    ///
    /// - Parameters:
    ///   - outcome: What the request came to.
    ///   - elapsed: How long the question has taken so far.
    ///   - chance: A random number from 0 to 1, for the pause.
    /// - Returns: The next step.
    mutating func step(
        after outcome: AppStoreOutcome<Answer>,
        at elapsed: Duration,
        chance: Double
    ) -> AppStoreStep<Answer> {
        switch outcome {
        case .answer(let answer): return .finish(.success(answer))
        case .refusal(let fault), .unavailable(let fault): return .finish(.failure(fault))
        case .otherEnvironment(let fault):
            if let reasonToSwitch {
                // Who is sent back and forth is sent away; that nobody was let in at the first place says more than that
                // nothing is known at the second.
                if case .unavailable = reasonToSwitch.kind { return .finish(.failure(reasonToSwitch)) }
                return .finish(.failure(fault))
            }
            reasonToSwitch = fault
            environment = environment == .production ? .sandbox : .production
            return .ask(environment, after: .zero)
        case .temporary(let fault):
            guard let pause = budget.pause(at: elapsed, chance: chance) else { return .finish(.failure(fault)) }
            return .ask(environment, after: pause)
        case .temporaryOnce(let fault):
            guard !hasRetriedOnce, let pause = budget.pause(at: elapsed, chance: chance) else {
                return .finish(.failure(fault))
            }
            hasRetriedOnce = true
            return .ask(environment, after: pause)
        }
    }
}

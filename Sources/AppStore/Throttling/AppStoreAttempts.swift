import Offers

/// The attempts to answer one question: which environment is asked, how often, and when it is given up.
///
/// It asks nobody itself.
struct AppStoreAttempts<Answer: Sendable>: Sendable {
    private(set) var environment: AppStoreEnvironment
    private(set) var budget: RetryBudget
    /// Why the other environment is asked now; `nil` before.
    private var reasonToSwitch: EvidenceFault?
    private var hasRetriedOnce = false

    init(startingIn environment: AppStoreEnvironment, deadline: Duration) {
        self.environment = environment
        self.budget = RetryBudget(deadline: deadline)
    }

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
                // Two environments that point at each other end the question; a refusal by the first says more than
                // that nothing is known at the second.
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

extension AppStoreAttempts {
    /// Asks until there is an answer, or no point in going on: never longer than the deadline, the rest of which each
    /// request gets.
    mutating func run(
        _ ask: (AppStoreEnvironment, Duration) async -> AppStoreOutcome<Answer>
    ) async throws(EvidenceFault) -> Answer {
        let start = ContinuousClock.now
        while true {
            let timeout = budget.timeout(at: start.duration(to: .now))
            let outcome =
                timeout > .zero
                ? await ask(environment, timeout)
                : .unavailable(.appStoreUnavailable("The App Store did not answer in time."))
            let elapsed = start.duration(to: .now)
            switch step(after: outcome, at: elapsed, chance: Double.random(in: 0...1)) {
            case .finish(let result): return try result.get()
            case .ask(_, let pause):
                guard pause > .zero else { continue }
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    throw .appStoreUnavailable("The question was given up.")
                }
            }
        }
    }
}

extension EvidenceFault {
    /// The App Store gave no answer, which says nothing of the evidence.
    static func appStoreUnavailable(_ detail: String, retryAfterSeconds seconds: Int = 5) -> EvidenceFault {
        EvidenceFault(.unavailable(retryAfterSeconds: seconds), code: "app_store_unavailable", detail: detail)
    }

    /// Apple does not take the service's own credentials; the log says more.
    static var appStoreCredentials: EvidenceFault {
        EvidenceFault(
            .unavailable(retryAfterSeconds: 60),
            code: "app_store_credentials",
            detail: "The App Store does not take this service's credentials. Its operator has to fix that."
        )
    }

    /// Apple names another app by the bundle id; the log says which.
    static var otherAppAppleId: EvidenceFault {
        EvidenceFault(
            .unavailable(retryAfterSeconds: 60),
            code: appStoreCredentials.code,
            detail: "The App Store names another appAppleId than this service's catalog. Its operator has to fix that."
        )
    }

    /// The token that has the key, with which Apple is asked, does not answer.
    static var signingUnavailable: EvidenceFault {
        EvidenceFault(
            .unavailable(retryAfterSeconds: 5),
            code: "signing_unavailable",
            detail: "The token that has the key does not answer, so that the App Store cannot be asked; ask again."
        )
    }

    /// The Server API cannot be asked for the app, and never could: the catalog does not say who issued its key.
    static var issuerUnknown: EvidenceFault {
        EvidenceFault(
            .unsupported,
            code: "not_supported",
            detail: "The App Store Server API is asked with the issuer of the app's key, which the catalog leaves out: "
                + "its operator has to write the issuerId beside the key. Evidence that needs no question to Apple does "
                + "without."
        )
    }
}

/// What to do after an outcome.
enum AppStoreStep<Answer: Sendable>: Sendable {
    case ask(AppStoreEnvironment, after: Duration)
    case finish(Result<Answer, EvidenceFault>)
}

extension AppStoreStep: Equatable where Answer: Equatable {}

/// The outcome of one request to Apple.
enum AppStoreOutcome<Answer: Sendable>: Sendable {
    case answer(Answer)
    /// The question belongs to the other environment.
    case otherEnvironment(EvidenceFault)
    /// Apple refuses what was asked about; asking again changes nothing.
    case refusal(EvidenceFault)
    /// Apple could not answer now; the fault is what to say when it never does.
    case temporary(EvidenceFault)
    /// A temporary failure that is worth only one more attempt.
    case temporaryOnce(EvidenceFault)
    /// There is no point in asking now: the service's own credentials are wrong, or Apple asked for patience.
    case unavailable(EvidenceFault)
}

extension AppStoreOutcome: Equatable where Answer: Equatable {}

/// How often, and after which pauses, a question may be asked again: pure arithmetic over durations.
///
/// Three attempts inside one deadline. The pause before the second is 100 to 200 ms, before the third 200 to 400 ms:
/// half of it by chance, so that those who failed together do not come back together.
struct RetryBudget: Sendable {
    /// How often a question is asked at most, whichever environment it is sent to.
    static let maximumAttempts = 3

    private let deadline: Duration
    private var attempts = 1

    init(deadline: Duration) {
        self.deadline = deadline
    }

    /// How long the attempt that begins now may take: all but the last leave time for another one.
    func timeout(at elapsed: Duration) -> Duration {
        let left = deadline - elapsed
        return attempts < Self.maximumAttempts ? left * 3 / 5 : left
    }

    /// Plans one more attempt, after a pause; `nil` when there is no attempt or no time left.
    ///
    /// `chance` is a random number from 0 to 1.
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

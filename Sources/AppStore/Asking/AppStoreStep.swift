import Offers

/// What to do after an outcome.
enum AppStoreStep<Answer: Sendable>: Sendable {
    /// Ask (again), in that environment, after a pause.
    case ask(AppStoreEnvironment, after: Duration)
    /// It is over.
    case finish(Result<Answer, EvidenceFault>)
}

extension AppStoreStep: Equatable where Answer: Equatable {}

import Offers

/// What one request to Apple came to, for whoever decides what to do next.
enum AppStoreOutcome<Answer: Sendable>: Sendable {
    /// Apple answered the question.
    case answer(Answer)
    /// The question belongs to the other environment.
    case otherEnvironment(EvidenceFault)
    /// Apple refuses what was asked about; asking again changes nothing.
    case refusal(EvidenceFault)
    /// Apple could not answer now; the fault is what to say when it never does.
    case temporary(EvidenceFault)
    /// As before, but worth only one more attempt.
    case temporaryOnce(EvidenceFault)
    /// There is no point in asking now: the service's own credentials are wrong, or Apple asked for patience.
    case unavailable(EvidenceFault)
}

extension AppStoreOutcome: Equatable where Answer: Equatable {}

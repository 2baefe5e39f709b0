/// What an attempt came to that brought no answer.
enum AttemptFault: Error, Equatable {
    /// The service refused for now, and did nothing (408, 429, and 503 but for `answer_timeout`).
    case refused(OfferSignerError, retryAfter: Duration?)
    /// Nobody knows whether the service did its work: the connection failed, a proxy had no answer (502 and 504), or the
    /// service had none in time (503 `answer_timeout`).
    case lost(OfferSignerError, retryAfter: Duration? = nil)
    /// Another attempt would end the same way.
    case final(OfferSignerError)

    /// What the caller is told when there is no further attempt.
    var error: OfferSignerError {
        switch self {
        case .refused(let error, _), .lost(let error, _), .final(let error): error
        }
    }
}

/// Why a call has no answer.
///
/// A refused offer is none of these: it is a decision, with its reason.
public enum OfferSignerError: Error, Equatable, Sendable {
    /// The service answered with a fault; `code` is what to branch on.
    case problem(Problem)
    /// What answered does not speak as the service does: a proxy's page, or another program.
    case unexpectedAnswer(status: Int, detail: String)
    /// There was no answer within the deadline, or no connection.
    ///
    /// The service may have worked all the same.
    case noAnswer(String)
    /// The caller gave something that cannot be sent; nothing was.
    case invalidArgument(String)
    /// The task that called was cancelled.
    case cancelled
}

extension OfferSignerError: CustomStringConvertible {
    /// The fault in one line, with nothing secret in it.
    public var description: String {
        switch self {
        case .problem(let problem): "\(problem)"
        case .unexpectedAnswer(let status, let detail): "unexpected answer with status \(status): \(detail)"
        case .noAnswer(let detail): "no answer: \(detail)"
        case .invalidArgument(let detail): "invalid argument: \(detail)"
        case .cancelled: "cancelled"
        }
    }
}

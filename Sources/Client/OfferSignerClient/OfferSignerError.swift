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

/// A fault as the service reports it: problem details of RFC 9457, with a name and a place.
public struct Problem: Equatable, Sendable {
    /// The HTTP status code.
    public let status: Int
    /// The fault's name in snake case, such as `account_required`: what a program branches on.
    public let code: String
    /// The fault in a sentence or two: what is wrong, and the fix.
    public let detail: String
    /// The JSON Pointer (RFC 6901) of the field at fault, such as `/offers/0/offerId`, where one field is.
    public let pointer: String?
    /// After how many seconds to ask again, where the answer said so (`Retry-After`).
    public let retryAfterSeconds: Int?
    /// The request's identifier in the service's log (`X-Request-ID`), where the answer had one.
    public let requestId: String?

    /// Creates a problem, as a test of a backend wants one.
    public init(
        status: Int,
        code: String,
        detail: String,
        pointer: String? = nil,
        retryAfterSeconds: Int? = nil,
        requestId: String? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.retryAfterSeconds = retryAfterSeconds
        self.requestId = requestId
    }
}

extension Problem: CustomStringConvertible {
    /// The fault in one line.
    public var description: String {
        let place = pointer.map { " at \($0)" } ?? ""
        let request = requestId.map { " (request \($0))" } ?? ""
        return "\(status) \(code)\(place): \(detail)\(request)"
    }
}

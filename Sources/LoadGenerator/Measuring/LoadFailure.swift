/// Why a request did not bring what was asked for: what failures are counted by.
public enum LoadFailure: Hashable, Sendable, CustomStringConvertible {
    /// The service answered with a fault: its status, and the `code` of its problem details.
    case status(Int, code: String)
    /// The service answered, and signed less than it was asked to: the first reason it gave.
    case notSigned(reason: String)
    /// No connection came about.
    case connect(String)
    /// The connection was closed while a request waited for its answer.
    case closed
    /// No answer came in time.
    case timeout
    /// No answer had come when the run was to be over at once.
    case unanswered
    /// What came was no answer.
    case malformed(String)
    /// The request was due, and no connection was free to send it before the end.
    case notSent

    /// The failure in a few words, such as `429 rate_limited`.
    public var description: String {
        switch self {
        case .status(let status, let code): code.isEmpty ? "\(status)" : "\(status) \(code)"
        case .notSigned(let reason): "not signed: \(reason)"
        case .connect(let reason): "connect: \(reason)"
        case .closed: "closed"
        case .timeout: "timeout"
        case .unanswered: "unanswered: the run was ended"
        case .malformed(let reason): "malformed answer: \(reason)"
        case .notSent: "not sent: no connection was free"
        }
    }
}

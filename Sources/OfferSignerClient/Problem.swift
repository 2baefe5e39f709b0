/// A fault as the service tells it: problem details of RFC 9457, with a name and a place.
public struct Problem: Equatable, Sendable {
    /// The HTTP status code.
    public let status: Int
    /// The fault's name in snake case, such as `account_required`: what a program branches on.
    public let code: String
    /// The fault in a sentence or two: what is wrong, and the mend.
    public let detail: String
    /// The JSON Pointer (RFC 6901) of the field at fault, such as `/offers/0/offerId`, where one field is.
    public let pointer: String?
    /// After how many seconds to ask again, where the answer said so (`Retry-After`).
    public let retryAfterSeconds: Int?
    /// The request's identifier in the service's log (`X-Request-ID`), where the answer had one.
    public let requestId: String?

    /// Creates a problem, as a test of a backend wants one.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code.
    ///   - code: The fault's name in snake case.
    ///   - detail: What is wrong, and the mend.
    ///   - pointer: The JSON Pointer of the field at fault, where one field is.
    ///   - retryAfterSeconds: After how many seconds to ask again.
    ///   - requestId: The request's identifier in the service's log.
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

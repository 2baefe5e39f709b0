import StrictJSON

/// A fault in an answer: RFC 9457 problem details.
package struct Problem: Error, Equatable, Sendable {
    package let status: Int
    /// The fault's name in snake case, on which programs branch.
    package let code: String
    /// The fault and its fix, in a sentence or two.
    package let detail: String
    /// The JSON Pointer (RFC 6901) of the field at fault, where one field is.
    package let pointer: String?
    /// The methods that the path takes, for 405.
    package let allow: String?
    /// The seconds after which to ask again, for 429 and 503.
    package let retryAfterSeconds: Int?
    /// The cause, for the log alone: without secrets, and in no answer.
    package let reason: String?

    package init(
        status: Int,
        code: String,
        detail: String,
        pointer: String? = nil,
        allow: String? = nil,
        retryAfterSeconds: Int? = nil,
        reason: String? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.allow = allow
        self.retryAfterSeconds = retryAfterSeconds
        self.reason = reason
    }

    /// The title of the problem's type: the status's phrase (RFC 9110 §15).
    private var title: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        default: "Internal Server Error"
        }
    }

    /// The problem as `application/problem+json`.
    var json: [UInt8] {
        JSONWriter.text { members in
            members.member("type", "urn:offer-signer:problem:\(code)")
            members.member("title", title)
            members.member("status", Int64(status))
            members.member("detail", detail)
            members.member("code", code)
            if let pointer { members.member("pointer", pointer) }
        }
    }
}

import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Creates a response with a body of known length.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields; `Content-Length` comes with the body.
    ///   - bytes: The body.
    init(status: HTTPResponse.Status, headers: HTTPFields, bytes: [UInt8]) {
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Creates the response that tells a problem.
    ///
    /// - Parameter problem: The problem.
    init(_ problem: Problem) {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let allow = problem.allow { headers[.allow] = allow }
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        if problem.status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        self.init(status: HTTPResponse.Status(code: problem.status), headers: headers, bytes: problem.json)
    }
}

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
        let head = problem.response
        self.init(status: head.status, headers: head.headerFields, bytes: problem.json)
    }
}

extension Problem {
    /// The head of the response that tells the problem, without the length of its body.
    var response: HTTPResponse {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let allow { headers[.allow] = allow }
        if let retryAfterSeconds { headers[.retryAfter] = String(retryAfterSeconds) }
        // RFC 9110 §12.5.3: it tells a coding from a media type that is not taken.
        if self == .unsupportedContentCoding { headers[.acceptEncoding] = "identity" }
        if status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: headers)
    }
}

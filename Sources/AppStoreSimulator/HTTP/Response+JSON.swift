import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A response with a JSON body.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - status: The status.
    /// - Returns: The response.
    static func json(_ json: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json))
        )
    }

    /// A response with a body that is not JSON.
    ///
    /// - Parameters:
    ///   - text: The body.
    ///   - status: The status.
    /// - Returns: The response.
    static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

extension Request {
    /// The whole body.
    ///
    /// - Parameter context: The request's context, which bounds it.
    /// - Returns: The bytes.
    /// - Throws: The error of the connection, or of a body that is too large.
    func bytes(_ context: SimulatorContext) async throws -> [UInt8] {
        let body = try await body.collect(upTo: context.maxUploadSize)
        return Array(body.readableBytesView)
    }
}

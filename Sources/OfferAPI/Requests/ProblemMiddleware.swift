import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The outermost middleware: an error that is thrown inside leaves as RFC 9457 problem details, and one that nobody foresaw
/// is logged.
///
/// Hummingbird's own answers would be an empty 500, logged at debug.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The log of errors that nobody foresaw.
    let logger: Logger

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            return Response(problem)
        } catch {
            logger.error("unforeseen error", metadata: ["error": "\(error)"])
            return Response(.internal)
        }
    }

    typealias Request = Hummingbird.Request
}

extension Response {
    /// Creates a response with a body of known length.
    init(status: HTTPResponse.Status, headers: HTTPFields, bytes: [UInt8]) {
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Creates the response that reports a problem.
    fileprivate init(_ problem: Problem) {
        self.init(status: HTTPResponse.Status(code: problem.status), headers: problem.fields, bytes: problem.json)
    }
}

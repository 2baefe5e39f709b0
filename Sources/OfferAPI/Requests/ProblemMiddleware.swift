import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The outermost middleware: answers a thrown error with RFC 9457 problem details, and logs an unforeseen one, where
/// Hummingbird would answer an empty 500 and log at debug.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
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
    init(status: HTTPResponse.Status, headers: HTTPFields, bytes: [UInt8]) {
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    fileprivate init(_ problem: Problem) {
        self.init(status: HTTPResponse.Status(code: problem.status), headers: problem.fields, bytes: problem.json)
    }
}

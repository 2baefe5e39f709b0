import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// The outermost middleware: whatever is thrown inside leaves as RFC 9457 problem details, and what nobody foresaw is
/// logged as an error.
///
/// Hummingbird's own answers would be an empty 500, logged at debug.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The methods that each path takes, as the `Allow` field lists them.
    let methods: [String: String]
    /// Where what nobody foresaw is logged.
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
        } catch let error as HTTPError where error.status == .notFound {
            guard let allow = methods[request.uri.path] else { return Response(.notFound) }
            return Response(.methodNotAllowed(allow: allow))
        } catch let error as HTTPParserError {
            throw error  // The bytes are no HTTP: Hummingbird answers 400 and closes the connection.
        } catch let error as CancellationError {
            throw error  // The client has gone, or the drain is over: nobody is there to be told.
        } catch {
            logger.error("unforeseen error", metadata: ["error": "\(error)"])
            return Response(.internal)
        }
    }
}

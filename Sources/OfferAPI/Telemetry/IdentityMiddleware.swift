import HTTPTypes
import Hummingbird

/// Gives every request its name: in the log, in its answer, and on its way to others.
struct IdentityMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let identity = RequestHead(request.head).identity
        return try await RequestIdentity.$current.withValue(identity) {
            var response = try await next(request, context)
            response.headers.append(contentsOf: identity.fields)
            return response
        }
    }
}

import HTTPTypes
import Hummingbird

/// Answers what is thrown inside, each kind as its side of the simulator does.
struct ErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: SimulatorContext,
        next: (Request, SimulatorContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServerAPIError {
            return .json(error.json, status: .init(code: error.status))
        } catch let error as StoreKitError {
            return .json(error.json, status: .unprocessableContent)
        } catch let fault as RequestFault {
            var response = Response.json(fault.json, status: .init(code: fault.status))
            response.headers[.contentType] = "application/problem+json"
            return response
        }
    }
}

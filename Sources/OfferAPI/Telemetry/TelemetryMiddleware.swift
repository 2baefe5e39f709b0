import HTTPTypes
import Hummingbird
import OfferService

/// Takes note of every request that the router answers.
struct TelemetryMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// Takes note of requests.
    let telemetry: RequestTelemetry

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let watch = Stopwatch()
        var status: Int?
        defer {
            // What no route takes has a path of Hummingbird's own making.
            let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil }
            telemetry.note(
                route: route,
                status: status,
                client: context.trail.client,
                nanoseconds: watch.nanoseconds
            )
        }
        let response = try await next(request, context)
        status = response.status.code
        return response
    }
}

import HTTPTypes
import Hummingbird
import OfferService

/// The outermost middleware: counts every request, whatever became of it.
struct TelemetryMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// Counts requests.
    let metrics: RequestMetrics

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let watch = Stopwatch()
        var status: Int?
        defer {
            metrics.count(
                // What no route takes has a path of Hummingbird's own making.
                route: context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil },
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

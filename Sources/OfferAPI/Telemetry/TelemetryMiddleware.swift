import HTTPTypes
import Hummingbird
import Logging
import OfferService

/// Counts every request, whatever became of it, and writes its line into the log, at the level info.
struct TelemetryMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// Counts requests.
    let metrics: RequestMetrics
    /// Where a request has its line: never its path or query, in which a stranger may have put anything.
    let logger: Logger

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
            let nanoseconds = watch.nanoseconds
            metrics.count(route: route, status: status, client: context.trail.client, nanoseconds: nanoseconds)
            logger.info(
                "request",
                metadata: [
                    "route": "\(route ?? RequestMetrics.unmatched)",
                    "status": "\(status.map(String.init) ?? RequestMetrics.none)",
                    "client": "\(context.trail.client ?? RequestMetrics.none)",
                    "microseconds": .stringConvertible(nanoseconds / 1000),
                ]
            )
        }
        let response = try await next(request, context)
        status = response.status.code
        return response
    }
}

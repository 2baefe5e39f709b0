import HTTPTypes
import Logging

/// Counts and logs requests that are refused before anything works on them, as `TelemetryMiddleware` does the others.
struct RefusalTelemetry: Sendable {
    /// Counts requests.
    let metrics: RequestMetrics
    /// Where a request has its line.
    let logger: Logger

    /// Takes note of a refusal.
    ///
    /// - Parameters:
    ///   - head: The request's head, where it was understood.
    ///   - identity: The request's name.
    ///   - problem: Why it is refused.
    func note(_ head: HTTPRequest?, _ identity: RequestIdentity, _ problem: Problem) {
        let route = head.flatMap { head in PublicRoute(head).flatMap { $0.method == head.method ? $0.path : nil } }
        metrics.count(route: route, status: problem.status, client: nil, nanoseconds: 0)
        RequestIdentity.$current.withValue(identity) {
            logger.info(
                "request",
                metadata: [
                    "route": "\(route ?? RequestMetrics.unmatched)", "status": "\(problem.status)",
                    "client": "\(RequestMetrics.none)", "microseconds": "0", "code": "\(problem.code)",
                ]
            )
        }
    }
}

import Logging

/// Counts every request, whatever became of it, and logs a line at the level info.
final class RequestTelemetry: Sendable {
    let metrics: RequestMetrics
    /// Its lines have no path and no query, in which a stranger may have put anything.
    let logger: Logger
    /// `nil` where the router's endpoints log faults.
    let faults: RepeatedFaults?

    init(metrics: RequestMetrics, logger: Logger, faults: RepeatedFaults? = nil) {
        self.metrics = metrics
        self.logger = logger
        self.faults = faults
    }

    /// Counts and logs a request; no status without an answer, no code unless it was refused.
    func note(
        _ identity: RequestIdentity,
        route: String?,
        status: Int?,
        client: KnownToken?,
        nanoseconds: Int64,
        code: String? = nil
    ) {
        metrics.count(route: route, status: status, client: client, nanoseconds: nanoseconds)
        guard logger.logLevel <= .info else { return }
        var metadata: Logger.Metadata = [
            "route": "\(route ?? RequestMetrics.unmatched)",
            "client": "\(client?.client.name ?? RequestMetrics.none)",
            "microseconds": .stringConvertible(nanoseconds / 1000),
        ]
        if let status { metadata["status"] = .stringConvertible(status) }
        if let code { metadata["code"] = "\(code)" }
        RequestIdentity.$current.withValue(identity) { logger.info("request", metadata: metadata) }
    }

    func noteTLSFailure(_ reason: String) {
        metrics.countTLSFailure()
        logger.info("TLS handshake failed", metadata: ["reason": "\(reason)"])
    }

    /// Records that a request could not be answered through no fault of its client.
    func noteFault(_ problem: Problem, of identity: RequestIdentity?) {
        guard problem.status >= 500 else { return }
        RequestIdentity.$current.withValue(identity) { faults?.note(problem) }
    }
}

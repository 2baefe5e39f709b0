import Logging

/// Counts every request, whatever became of it, and writes its line into the log, at the level info.
final class RequestTelemetry: Sendable {
    /// Counts requests.
    let metrics: RequestMetrics
    /// The log of lines: never of a path or query, in which a stranger may have put anything.
    let logger: Logger
    /// Logs the faults that keep requests from being answered; `nil` where the router's endpoints do.
    let faults: RepeatedFaults?

    init(metrics: RequestMetrics, logger: Logger, faults: RepeatedFaults? = nil) {
        self.metrics = metrics
        self.logger = logger
        self.faults = faults
    }

    /// Takes note of a request.
    ///
    /// It has no status where it has no answer, and no code where it was not refused.
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

    /// Takes note of a TLS handshake that failed.
    func noteTLSFailure(_ reason: String) {
        metrics.countTLSFailure()
        logger.info("TLS handshake failed", metadata: ["reason": "\(reason)"])
    }

    /// Takes note that a request could not be answered, where that is no fault of the client.
    func noteFault(_ problem: Problem, of identity: RequestIdentity?) {
        guard problem.status >= 500 else { return }
        RequestIdentity.$current.withValue(identity) { faults?.note(problem) }
    }
}

import Logging

/// Counts every request, whatever became of it, and writes its line into the log, at the level
/// info.
final class RequestTelemetry: Sendable {
    /// Counts requests.
    let metrics: RequestMetrics
    /// Where a request has its line: never its path or query, in which a stranger may have put anything.
    let logger: Logger
    /// Logs the faults that keep requests from being answered.
    let faults: RepeatedFaults

    /// Brings together what takes note of requests.
    init(metrics: RequestMetrics, logger: Logger, faults: RepeatedFaults? = nil) {
        self.metrics = metrics
        self.logger = logger
        self.faults = faults ?? RepeatedFaults(logger: logger)
    }

    /// Takes note of a request.
    ///
    /// - Parameters:
    ///   - identity: The request's name.
    ///   - route: The route's path; `nil` when there is none for it.
    ///   - status: The status of the answer; `nil` where there was none.
    ///   - client: The client's name; `nil` when nobody is known.
    ///   - nanoseconds: How long it took.
    ///   - problem: Why it was refused before anything worked on it.
    func note(
        _ identity: RequestIdentity,
        route: String?,
        status: Int?,
        client: String?,
        nanoseconds: Int64,
        problem: Problem? = nil
    ) {
        metrics.count(route: route, status: status, client: client, nanoseconds: nanoseconds)
        guard logger.logLevel <= .info else { return }
        var metadata: Logger.Metadata = [
            "route": "\(route ?? RequestMetrics.unmatched)",
            "status": "\(status.map(String.init) ?? RequestMetrics.none)",
            "client": "\(client ?? RequestMetrics.none)",
            "microseconds": .stringConvertible(nanoseconds / 1000),
        ]
        if let problem { metadata["code"] = "\(problem.code)" }
        RequestIdentity.$current.withValue(identity) { logger.info("request", metadata: metadata) }
    }

    /// Takes note of a client with whom TLS did not come about.
    func noteTLSFailure(_ reason: String) {
        metrics.countTLSFailure()
        logger.info("TLS handshake failed", metadata: ["reason": "\(reason)"])
    }

    /// Takes note that a request could not be answered, where that is no fault of the client.
    func noteFault(_ problem: Problem, of identity: RequestIdentity?) {
        guard problem.status >= 500 else { return }
        RequestIdentity.$current.withValue(identity) { faults.note(problem) }
    }
}

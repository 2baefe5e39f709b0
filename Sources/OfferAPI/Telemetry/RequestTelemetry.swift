import Logging

/// Counts every request, whatever became of it and whichever way it went, and writes its line into the log, at the level
/// info.
struct RequestTelemetry: Sendable {
    /// Counts requests.
    let metrics: RequestMetrics
    /// Where a request has its line: never its path or query, in which a stranger may have put anything.
    let logger: Logger
    /// Logs the faults that keep requests from being answered.
    let faults: RepeatedFaults

    /// Brings together what takes note of requests.
    ///
    /// - Parameters:
    ///   - metrics: Counts requests.
    ///   - logger: Where a request has its line.
    ///   - faults: Logs the faults that keep requests from being answered; by default its own.
    init(metrics: RequestMetrics, logger: Logger, faults: RepeatedFaults? = nil) {
        self.metrics = metrics
        self.logger = logger
        self.faults = faults ?? RepeatedFaults(logger: logger)
    }

    /// Takes note of a request of the current task.
    ///
    /// - Parameters:
    ///   - route: The route's pattern; `nil` when there is none for it.
    ///   - status: The status of the answer; `nil` where there was none.
    ///   - client: The client's name; `nil` when nobody is known.
    ///   - nanoseconds: How long it took.
    ///   - problem: Why it was refused before anything worked on it.
    func note(route: String?, status: Int?, client: String?, nanoseconds: Int64, problem: Problem? = nil) {
        metrics.count(route: route, status: status, client: client, nanoseconds: nanoseconds)
        guard logger.logLevel <= .info else { return }
        var metadata: Logger.Metadata = [
            "route": "\(route ?? RequestMetrics.unmatched)",
            "status": "\(status.map(String.init) ?? RequestMetrics.none)",
            "client": "\(client ?? RequestMetrics.none)",
            "microseconds": .stringConvertible(nanoseconds / 1000),
        ]
        if let problem { metadata["code"] = "\(problem.code)" }
        logger.info("request", metadata: metadata)
    }

    /// Takes note of a request outside of a task.
    ///
    /// - Parameters:
    ///   - identity: The request's name.
    ///   - route: The route's pattern; `nil` when there is none for it.
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
        guard logger.logLevel <= .info else {
            return metrics.count(route: route, status: status, client: client, nanoseconds: nanoseconds)
        }
        RequestIdentity.$current.withValue(identity) {
            note(route: route, status: status, client: client, nanoseconds: nanoseconds, problem: problem)
        }
    }

    /// Takes note of a request that is refused before anything works on it.
    ///
    /// - Parameters:
    ///   - head: The request's head, where it was understood.
    ///   - identity: The request's name.
    ///   - problem: Why it is refused.
    ///   - clients: Who may call; `nil` where nobody has a token.
    func note(
        _ head: RequestHead?,
        _ identity: RequestIdentity,
        _ problem: Problem,
        among clients: ClientDirectory? = nil
    ) {
        let route = head.flatMap { head in PublicRoute(head).flatMap { $0.takes(head.method) ? $0.path : nil } }
        // Where no route takes a request, nobody asks whose it is.
        let client = route == nil ? nil : head?.token.flatMap { clients?.client(with: $0)?.name }
        note(identity, route: route, status: problem.status, client: client, nanoseconds: 0, problem: problem)
    }

    /// Takes note of a client with whom TLS did not come about.
    ///
    /// - Parameter reason: Why, in a few fixed words.
    func noteTLSFailure(_ reason: String) {
        metrics.countTLSFailure()
        logger.info("TLS handshake failed", metadata: ["reason": "\(reason)"])
    }

    /// Takes note that a request of the current task could not be answered, where that is no fault of the client.
    ///
    /// - Parameter problem: What the client is told.
    func noteFault(_ problem: Problem) {
        guard problem.status >= 500 else { return }
        faults.note(problem)
    }
}

public import Logging

/// What one event loop of a listener lets in and answers by itself, without a task.
///
/// Whatever a request touches is best the event loop's own: what several processors write to, reference counts among it,
/// travels between their caches.
public struct LoopAnswers: Sendable {
    /// What the configuration in use answers with.
    let endpoints: @Sendable () -> LoopEndpoints
    /// Takes note of the requests.
    let telemetry: RequestTelemetry

    /// Brings together what an event loop has.
    ///
    /// - Parameters:
    ///   - endpoints: What the configuration in use answers with.
    ///   - metrics: Counts the requests.
    ///   - logger: Where requests have their lines, at the level info.
    ///   - faults: Logs the service's own faults.
    public init(
        endpoints: @escaping @Sendable () -> LoopEndpoints,
        metrics: RequestMetrics = RequestMetrics(),
        logger: Logger,
        faults: RepeatedFaults
    ) {
        self.endpoints = endpoints
        telemetry = RequestTelemetry(metrics: metrics, logger: logger, faults: faults)
    }
}

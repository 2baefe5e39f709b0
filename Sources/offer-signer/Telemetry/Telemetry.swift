import OfferAPI
import OfferService
import PrometheusMetrics

/// All that the service counts: it outlives a reload.
struct Telemetry: Sendable {
    /// Keeps the metrics: the factory of every handle.
    let registry: PrometheusRegistry
    /// What the use cases count.
    let service: ServiceMetrics
    /// What the public listener counts.
    let requests: RequestMetrics
    private let process: ProcessMetrics

    /// Begins to count.
    init() {
        registry = PrometheusRegistry(MetricDefinition.all)
        service = ServiceMetrics(factory: registry)
        requests = RequestMetrics(factory: registry)
        process = ProcessMetrics(factory: registry)
    }

    /// What `/metrics` answers now.
    ///
    /// - Returns: All metrics.
    func page() -> MetricsPage {
        process.update()
        return MetricsPage(contentType: PrometheusRegistry.contentType, bytes: registry.exposition())
    }
}

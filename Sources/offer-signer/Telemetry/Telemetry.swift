import AppStore
import CoreMetrics
import OfferAPI
import OfferService
import PrometheusMetrics

/// All that the service counts: it outlives a reload.
struct Telemetry: Sendable {
    /// What the use cases count.
    let service: ServiceMetrics
    /// What Apple's listener counts.
    let requests: RequestMetrics
    /// What is counted on the way to Apple.
    let appStore: AppStoreMetrics
    /// Reloads that took effect.
    let reloadsCompleted: Counter
    /// Reloads that were refused.
    let reloadsRefused: Counter
    /// What the notifications listener counts.
    let notifications: NotificationMetrics

    private let registry: PrometheusRegistry
    private let process: ProcessMetrics
    private let gauges: ServiceGauges
    private let ledger: LedgerMetrics

    /// Begins to count.
    init(_ ledger: OpenLedger) {
        func reloads(_ outcome: String) -> Counter {
            Counter(label: "offer_signer_reloads_total", dimensions: [("outcome", outcome)], factory: registry)
        }
        let registry = PrometheusRegistry(MetricDefinition.all)
        self.registry = registry
        service = ServiceMetrics(factory: registry, tally: ledger.tally)
        requests = RequestMetrics(factory: registry)
        appStore = AppStoreMetrics(factory: registry)
        reloadsCompleted = reloads("completed")
        reloadsRefused = reloads("refused")
        notifications = NotificationMetrics(factory: registry)
        process = ProcessMetrics(factory: registry)
        gauges = ServiceGauges(factory: registry)
        self.ledger = LedgerMetrics(factory: registry)
        self.ledger.observe(ledger.ledger)
    }

    /// What keeps the metrics of an event loop, apart from those of others; they are told together.
    ///
    /// - Parameter number: The event loop's number, from 0.
    /// - Returns: The factory.
    func factory(ofLoop number: Int) -> any MetricsFactory { registry.stripe(number + 1) }

    /// What `/metrics` answers now.
    func page(_ snapshot: ServiceSnapshot, _ readiness: Readiness) async -> MetricsPage {
        process.update()
        await gauges.update(snapshot, readiness)
        await ledger.update(snapshot.lifelong.ledger)
        return MetricsPage(contentType: PrometheusRegistry.contentType, bytes: registry.exposition())
    }
}

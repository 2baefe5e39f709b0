import AppStore
import CoreMetrics
import OfferAPI
import OfferService
import PrometheusMetrics

/// All that the service counts: it outlives a reload.
struct Telemetry: Sendable {
    let service: ServiceMetrics
    let decisions: DecisionHistory
    /// Of clients and of Apple.
    let requests: RequestMetrics
    let appStore: AppStoreMetrics
    let newIntermediates: Counter
    let reloadsCompleted: Counter
    let reloadsRefused: Counter
    let notifications: NotificationMetrics
    let notificationHistory: NotificationHistoryMetrics
    let retention: RetentionMetrics

    private let registry: PrometheusRegistry
    private let process: ProcessMetrics
    private let gauges: ServiceGauges
    private let tokens: TokenMetrics
    private let ledger: LedgerMetrics

    init(_ ledger: OpenLedger) {
        func reloads(_ outcome: String) -> Counter {
            Counter(label: "offer_signer_reloads_total", dimensions: [("outcome", outcome)], factory: registry)
        }
        let registry = PrometheusRegistry(MetricDefinition.all)
        self.registry = registry
        decisions = DecisionHistory(before: ledger.journal)
        service = ServiceMetrics(factory: registry, tally: decisions, holdouts: ledger.journal)
        requests = RequestMetrics(factory: registry)
        appStore = AppStoreMetrics(factory: registry)
        newIntermediates = Counter(label: "offer_signer_app_store_new_intermediates_total", factory: registry)
        reloadsCompleted = reloads("completed")
        reloadsRefused = reloads("refused")
        notifications = NotificationMetrics(factory: registry)
        notificationHistory = NotificationHistoryMetrics(factory: registry)
        retention = RetentionMetrics(factory: registry)
        process = ProcessMetrics(factory: registry)
        gauges = ServiceGauges(factory: registry)
        tokens = TokenMetrics(factory: registry)
        self.ledger = LedgerMetrics(factory: registry)
        self.ledger.observe(ledger.journal)
    }

    /// Has the database's figures found, so that the first who asks gets them.
    func prepare(_ snapshot: ServiceSnapshot) { gauges.updateFigures(snapshot) }

    func page(_ snapshot: ServiceSnapshot, _ readiness: Readiness) -> (contentType: String, bytes: [UInt8]) {
        process.update()
        gauges.update(snapshot, readiness)
        tokens.update(snapshot.service)
        ledger.update(snapshot.lifelong.ledger)
        return (PrometheusRegistry.contentType, registry.exposition())
    }
}

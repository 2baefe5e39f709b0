import CoreMetrics
import SubscriptionKeys
import Synchronization

/// The metrics of keys in tokens; without such a key there are none.
struct TokenMetrics: Sendable {
    private let unavailable: LabelledGauge
    private let factory: any MetricsFactory
    private let counted: Counted

    private final class Counted: Sendable {
        let faults = Mutex<[String: (counter: Counter, count: Int)]>([:])
    }

    init(factory: any MetricsFactory) {
        unavailable = LabelledGauge("offer_signer_key_unavailable", label: "key_id", factory: factory)
        self.factory = factory
        counted = Counted()
    }

    func update(_ service: LoadedService) {
        let keys = service.keys.joined().compactMap { $0 as? TokenKey }
        let values = keys.map { ($0.keyIdentifier, $0.unavailability == nil ? 0 : 1) }
        unavailable.set(Dictionary(values, uniquingKeysWith: max))
        counted.faults.withLock { faults in
            for (name, count) in service.tokens?.faults ?? [:] {
                let known = faults[name]
                let (label, cause) = ("offer_signer_token_faults_total", [("cause", name)])
                let counter = known?.counter ?? Counter(label: label, dimensions: cause, factory: factory)
                counter.increment(by: count - (known?.count ?? 0))
                faults[name] = (counter, count)
            }
        }
    }
}

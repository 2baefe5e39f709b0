import CoreMetrics
import OfferAPI
import OfferService
import Storage

/// What an event loop has for itself as long as the process lives, so that it is written to by one processor alone.
struct LoopParts: Sendable {
    /// What is held of customers: of all loops together, found by a key of the loop's own.
    let memory: StateMemory
    /// What the use cases count.
    let metrics: ServiceMetrics
    /// What the public listener counts.
    let requests: RequestMetrics

    /// Makes the parts.
    init(ledger: OpenLedger, factory: any MetricsFactory) {
        memory = StateMemory(states: ledger.states, digester: ledger.digestKey.copy())
        metrics = ServiceMetrics(factory: factory, tally: ledger.tally.makePart())
        requests = RequestMetrics(factory: factory)
    }
}

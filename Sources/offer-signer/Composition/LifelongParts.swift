import AppStore
import CoreMetrics
import LogLines
import OfferAPI
import OfferService
import Storage

/// The parts that are made once and live as long as the process, whatever is reloaded: none holds a key.
struct LifelongParts: Sendable {
    /// The ledger, open for writing.
    let ledger: OpenLedger
    /// The connections to Apple, which pass on the trace that a request is a part of.
    let appStoreTransport = AsyncHTTPTransport(traceFields: { RequestIdentity.current?.traceFields ?? [] })
    /// The connections of the public listener.
    let connections = ConnectionCensus()
    /// What clients have asked for.
    let clientUsages = ClientUsages()
    /// The addresses that have shown unknown tokens.
    let failedAuthentications = FailedAuthentications()
    /// The watch over the clock.
    let clock: ClockMonitor
    /// The held state of customers.
    let memory: StateMemory
    /// The metrics and counters.
    let telemetry: Telemetry
    /// The parts of each event loop, by its number.
    let loops: [LoopParts]
    /// Where log lines go.
    let log: LogOutput

    /// Makes the parts.
    init(ledger: OpenLedger, log: LogOutput) {
        self.ledger = ledger
        self.log = log
        clock = ledger.clock
        telemetry = Telemetry(ledger)
        memory = StateMemory(states: ledger.states, digester: ledger.digestKey)
        loops = (0..<ListenerRules.eventLoopCount).map { [telemetry] number in
            LoopParts(ledger: ledger, factory: telemetry.factory(ofLoop: number))
        }
    }
}

/// An event loop's own parts, as long as the process lives, so that one processor alone writes to them.
struct LoopParts: Sendable {
    /// The memory of customers: of all loops together, found by a key of the loop's own.
    let memory: StateMemory
    /// The counts of the use cases.
    let metrics: ServiceMetrics
    /// The counts of the public listener.
    let requests: RequestMetrics

    /// Makes the parts.
    init(ledger: OpenLedger, factory: any MetricsFactory) {
        memory = StateMemory(states: ledger.states, digester: ledger.digestKey.copy())
        metrics = ServiceMetrics(factory: factory, tally: ledger.tally.makePart())
        requests = RequestMetrics(factory: factory)
    }
}

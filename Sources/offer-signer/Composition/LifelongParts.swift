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
    let clientUsages: ClientUsages
    /// The watch over the clock.
    let clock: ClockMonitor
    /// The held state of customers.
    let memory: StateMemory
    /// The metrics and counters.
    let telemetry: Telemetry
    /// Where log lines go.
    let log: LogOutput

    /// Makes the parts.
    init(ledger: OpenLedger, log: LogOutput, maximumUnfinishedBytes: Int) {
        clientUsages = ClientUsages(maximumUnfinishedBytes: maximumUnfinishedBytes)
        self.ledger = ledger
        self.log = log
        clock = ledger.clock
        telemetry = Telemetry(ledger)
        memory = StateMemory(states: ledger.states, digester: ledger.digestKey)
    }
}

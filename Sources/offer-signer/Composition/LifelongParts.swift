import AppStore
import CoreMetrics
import LogLines
import OfferAPI
import OfferService
import Storage

/// The parts that are made once and live as long as the process, whatever is reloaded: none holds a key.
struct LifelongParts: Sendable {
    let ledger: OpenLedger
    /// Passes on the trace that a request is a part of.
    let appStoreTransport = AsyncHTTPTransport(traceFields: { RequestIdentity.current?.traceFields ?? [] })
    let connections = ConnectionCensus()
    let clientUsages: ClientUsages
    let clock: ClockMonitor
    let memory: StateMemory
    let telemetry: Telemetry
    let log: LogOutput

    init(ledger: OpenLedger, log: LogOutput, maximumUnfinishedBytes: Int) {
        clientUsages = ClientUsages(maximumUnfinishedBytes: maximumUnfinishedBytes)
        self.ledger = ledger
        self.log = log
        clock = ledger.clock
        telemetry = Telemetry(ledger)
        memory = StateMemory(states: ledger.states, digester: ledger.digestKey)
    }
}

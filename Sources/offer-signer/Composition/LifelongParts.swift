import AppStore
import LogLines
import OfferAPI
import OfferService
import Storage

/// What is made once and lives as long as the process, whatever is reloaded: nothing of it holds a key.
struct LifelongParts: Sendable {
    /// The ledger, open for writing.
    let ledger: OpenLedger
    /// The connections to Apple, which pass on the trace that a request is a part of.
    let appStoreTransport = AsyncHTTPTransport(traceFields: { RequestIdentity.current?.traceFields ?? [] })
    /// The connections of the public listener.
    let connections = ConnectionCensus()
    /// What clients have asked for.
    let clientUsages = ClientUsages()
    /// Who has shown tokens that are nobody's.
    let failedAuthentications = FailedAuthentications()
    /// The watch over the clock.
    let clock: ClockMonitor
    /// What is held of customers.
    let memory: StateMemory
    /// What is counted.
    let telemetry: Telemetry
    /// What the event loops have each for itself, by their numbers.
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

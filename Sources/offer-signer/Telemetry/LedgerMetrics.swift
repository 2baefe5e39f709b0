import CoreMetrics
import Storage

/// What the ledger and the state beside it tell of themselves.
struct LedgerMetrics: Sendable {
    private let queue: Meter
    private let heldSubscriptions: Meter
    private let commits: Timer
    private let records: Counter

    /// Makes the handles.
    init(factory: any MetricsFactory) {
        queue = Meter(label: "offer_signer_ledger_queue_length", factory: factory)
        heldSubscriptions = Meter(label: "offer_signer_held_subscriptions", factory: factory)
        commits = Timer(label: "offer_signer_ledger_commit_duration_seconds", factory: factory)
        records = Counter(label: "offer_signer_ledger_records_total", factory: factory)
    }

    /// Counts the ledger's commits from now on.
    func observe(_ ledger: DurableLedger) {
        ledger.observeCommits { [commits, records] duration, count in
            let (seconds, attoseconds) = duration.components
            commits.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            records.increment(by: count)
        }
    }

    /// Looks, and tells what it sees.
    func update(_ ledger: OpenLedger) async {
        queue.set(ledger.ledger.waiting)
        if let count = await ledger.states.recentCount() { heldSubscriptions.set(count) }
    }
}

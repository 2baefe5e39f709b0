import Offers
import Synchronization

/// Counts of decisions, and the customers of offers with a holdout, in memory until a commit takes them along.
///
/// They promise nothing: a process that is killed loses the last seconds, and a customer who comes again is recorded then. One
/// that is stopped loses nothing, and neither does one whose database is away for a while.
final class Statistics: Sendable {
    private static let pause = Duration.seconds(5)
    private static let longPause = Duration.seconds(60)
    /// Each has some hundred bytes.
    private static let mostCustomers = 100_000

    private struct State {
        var waiting = StatisticsBatch()
        var due = ContinuousClock.now + Statistics.pause
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    var isEmpty: Bool { state.withLock(\.waiting.isEmpty) }

    var isDue: Bool { state.withLock { !$0.waiting.isEmpty && $0.due <= .now } }

    func count(_ decision: CountedDecision) {
        state.withLock { $0.waiting.counts[decision, default: 0] += 1 }
    }

    /// Adds a customer, who counts once for each name.
    func add(_ customer: HoldoutCustomer) {
        let time = now()
        state.withLock { state in
            let key = StatisticsBatch.CustomerKey(customer)
            guard state.waiting.customers[key] == nil, state.waiting.customers.count < Self.mostCustomers else {
                return
            }
            state.waiting.customers[key] = .init(customer: customer, time: time)
        }
    }

    /// Takes what is to be written, every few seconds; `nil` where nothing is due.
    func dequeueBatch(isLast: Bool = false) -> StatisticsBatch? {
        state.withLock { state in
            guard !state.waiting.isEmpty, isLast || state.due <= .now else { return nil }
            var batch = state.waiting
            batch.day = FunnelPeriod.day(of: now())
            state.waiting = StatisticsBatch()
            state.due = .now + Self.pause
            if batch.customers.count > HoldoutSQL.step {
                for (key, sighting) in batch.customers.dropFirst(HoldoutSQL.step) {
                    state.waiting.customers[key] = sighting
                    batch.customers[key] = nil
                }
                state.due = .now
            }
            return batch
        }
    }

    /// Puts back what could not be written; it is due again after a pause, a long one where somebody keeps rows locked, as
    /// signatures wait meanwhile.
    func putBack(_ batch: StatisticsBatch, _ failure: StorageFailure? = nil) {
        state.withLock { state in
            // The number of kinds is bounded, and so is that of customers: of each the earlier time counts.
            state.waiting.counts.merge(batch.counts, uniquingKeysWith: +)
            state.waiting.customers.merge(batch.customers) { _, earlier in earlier }
            state.due = .now + (failure?.code == .locked ? Self.longPause : Self.pause)
        }
    }
}

/// Statistics that one transaction adds to those of the database.
struct StatisticsBatch: Sendable {
    struct CustomerKey: Hashable {
        let customer: AccountDigest
        let name: String

        init(_ customer: HoldoutCustomer) {
            self.customer = customer.drawn.customer
            name = customer.drawn.name
        }
    }

    struct Sighting {
        let customer: HoldoutCustomer
        let time: Timestamp
    }

    /// The row of ``LockRows`` for writing statistics.
    static let lock = LockRows.row(of: Array("offer-signer statistics".utf8))

    var counts: [CountedDecision: Int] = [:]
    var customers: [CustomerKey: Sighting] = [:]
    /// The day that counts belong to, from 1970-01-01 on.
    var day: Int64 = 0

    var isEmpty: Bool { counts.isEmpty && customers.isEmpty }

    /// Adds them.
    func write(to session: any Session) throws(StorageFailure) {
        for (decision, count) in counts {
            let values = [.integer(day)] + decision.names.map { SQLValue.text($0) } + [.integer(Int64(count))]
            try session.send(SQLCall(FunnelSQL.add, values))
        }
        try session.send(StateWrite.holdouts, customers.values.map { $0.customer.row(at: $0.time) })
    }
}

extension CountedDecision {
    fileprivate var names: [String] {
        [bundleId, offer.productId, offer.offerId, environment?.rawValue ?? "", call.rawValue, reason.rawValue]
    }
}

extension HoldoutCustomer {
    fileprivate func row(at time: Timestamp) -> [SQLValue] {
        [
            .bytes(drawn.customer.bytes), .text(drawn.name), .text(bundleId), .text(environment?.rawValue ?? ""),
            .text(drawn.originalTransactionId ?? ""), .integer(drawn.isHeldOut ? 1 : 0), .time(time),
        ]
    }
}

import Dispatch
package import Offers
import Synchronization

/// Counts decisions in memory, and adds them to what the database has every few seconds.
///
/// They are statistics, and promise nothing: a process that is killed loses the last seconds. One that is stopped loses
/// nothing, and neither does one whose database is away for a while.
package final class DurableOfferTally: OfferTally {
    private static let secondsBetweenWrites = 5

    private let database: any SQLDatabase
    private let now: @Sendable () -> Timestamp
    private let counts = Mutex<[CountedDecision: Int]>([:])
    private let failure = Mutex<StorageFailure?>(nil)
    private let writer = DispatchQueue(label: "offer-counts", qos: .utility)
    private let timer: UpkeepTimer

    /// Begins to count; what was counted belongs to the day on which it is written.
    package init(in database: any SQLDatabase, now: @escaping @Sendable () -> Timestamp) {
        self.database = database
        self.now = now
        timer = UpkeepTimer(on: writer, every: Self.secondsBetweenWrites)
        timer.start { [weak self] _ in self?.write() }
    }

    /// What keeps counts from being kept, in a sentence; `nil` when nothing does.
    package var warning: String? {
        failure.withLock { $0 }.map { "counts of decisions wait to be written, and are lost at a stop: \($0.detail)" }
    }

    package func count(_ decision: CountedDecision) {
        counts.withLock { $0[decision, default: 0] += 1 }
    }

    /// Writes what was counted; what comes later is lost.
    package func close() {
        timer.stop()
        writer.sync { write() }
    }

    private func write() {
        let taken = counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
        guard !taken.isEmpty else { return }
        do throws(StorageFailure) {
            try database.add(taken, on: FunnelPeriod.day(of: now()))
            failure.withLock { $0 = nil }
        } catch {
            failure.withLock { $0 = error }
            // The number of kinds is bounded, and so is what waits.
            counts.withLock { $0.merge(taken, uniquingKeysWith: +) }
        }
    }
}

extension SQLDatabase {
    /// Adds counted decisions of a day, counted from 1970-01-01 on; several services add to the same.
    func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure) {
        // All services write in the same order, so that they cannot wait for each other in a circle.
        let sorted = counts.sorted { $0.key.names.lexicographicallyPrecedes($1.key.names) }
        // Added twice it would count twice: so it is not tried again where the connection breaks.
        try transaction(.beside) { session throws(StorageFailure) in
            for (decision, count) in sorted {
                let values = [.integer(day)] + decision.names.map { SQLValue.text($0) } + [.integer(Int64(count))]
                try session.send(SQLCall(FunnelSQL.add, values))
            }
        }
    }
}

extension CountedDecision {
    fileprivate var names: [String] {
        [bundleId, offer.productId, offer.offerId, environment?.rawValue ?? "", call.rawValue, reason.rawValue]
    }
}

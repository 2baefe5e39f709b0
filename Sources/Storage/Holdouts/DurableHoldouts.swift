import Dispatch
package import Offers
import Synchronization

/// Keeps which customers could have had an offer with a holdout, and when first: written every few seconds, off the way
/// of answers.
///
/// It is for statistics, and promises no more than ``DurableOfferTally``: a process that is killed loses the last
/// seconds, and a customer who comes again is noted then.
package final class DurableHoldouts: HoldoutRecords {
    private static let secondsBetweenWrites = 5
    /// Each has some hundred bytes.
    private static let mostWaiting = 100_000

    private struct Key: Hashable {
        let customer: AccountDigest
        let name: String
    }

    private struct Sighting {
        let customer: HoldoutCustomer
        let time: Timestamp
    }

    private struct State {
        var waiting: [Key: Sighting] = [:]
        var failure: StorageFailure?
    }

    private let database: any SQLDatabase
    private let retentionDays: Int?
    private let isClockRight: @Sendable () -> Bool
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())
    private let writer = DispatchQueue(label: "offer-holdouts", qos: .utility)
    private let timer: UpkeepTimer

    /// Customers are kept for so many days, or for ever (`nil`); nothing is deleted by a clock that is not right.
    package init(
        in database: any SQLDatabase,
        retentionDays: Int? = nil,
        isClockRight: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.retentionDays = retentionDays
        self.isClockRight = isClockRight
        self.now = now
        timer = UpkeepTimer(on: writer, every: Self.secondsBetweenWrites)
        timer.start { [weak self] isHour in
            self?.write()
            if isHour { self?.deleteOld() }
        }
    }

    /// The fault that keeps customers from being written, in a sentence; `nil` for none.
    package var warning: String? {
        state.withLock { $0.failure }.map {
            "customers of offers with a holdout wait to be written, and are lost at a stop: \($0.detail)"
        }
    }

    package func note(_ customer: HoldoutCustomer) {
        let key = Key(customer: customer.drawn.customer, name: customer.drawn.name)
        let sighting = Sighting(customer: customer, time: now())
        state.withLock { state in
            guard state.waiting[key] == nil, state.waiting.count < Self.mostWaiting else { return }
            state.waiting[key] = sighting
        }
    }

    /// Deletes what is kept of a customer, and of the subscriptions that are held of the account.
    ///
    /// Another process may still write what it noted in the last seconds.
    package func forget(
        _ customer: String,
        account: AccountDigest,
        bundleId: String,
        by draw: any HoldoutDraw
    ) async throws(StorageFailure) {
        let own = draw.digest(ofCustomer: customer, originalTransactionId: nil, bundleId: bundleId)
        try await writer.perform { [self] () throws(StorageFailure) in
            write()
            try database.transaction(.repeatable) { session throws(StorageFailure) in
                let ids = try session.run(HoldoutSQL.subscriptionsOf, .bytes(account.bytes), .text(bundleId))
                for digest in [own, account] { try session.send(SQLCall(HoldoutSQL.forget, .bytes(digest.bytes))) }
                for row in ids.rows {
                    let id = try ids.text(row, 0)
                    let digest = draw.digest(ofCustomer: nil, originalTransactionId: id, bundleId: bundleId)
                    try session.send(SQLCall(HoldoutSQL.forget, .bytes(digest.bytes)))
                }
            }
        }
    }

    /// Writes what waits; what comes later is lost.
    package func close() {
        timer.stop()
        writer.sync { write() }
    }

    private func write() {
        var taken = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        guard !taken.isEmpty else { return }
        // All services write in the same order, so that they cannot wait for each other in a circle.
        let sorted = taken.sorted { left, right in
            left.key.customer == right.key.customer
                ? left.key.name < right.key.name
                : left.key.customer.bytes.lexicographicallyPrecedes(right.key.customer.bytes)
        }
        do throws(StorageFailure) {
            for start in stride(from: 0, to: sorted.count, by: HoldoutSQL.step) {
                let some = sorted[start..<min(start + HoldoutSQL.step, sorted.count)]
                let rows = some.map { $0.value.customer.row(at: $0.value.time) }
                try database.transaction(.repeatable) { session throws(StorageFailure) in
                    try session.send(StateWrite.holdouts, rows)
                }
                for one in some { taken[one.key] = nil }
            }
            state.withLock { $0.failure = nil }
        } catch {
            state.withLock { [taken] state in
                state.failure = error
                // The earlier time counts; what came in its place meanwhile is bounded.
                state.waiting.merge(taken) { _, earlier in earlier }
            }
        }
    }

    func deleteOld() {
        guard let retentionDays, isClockRight() else { return }
        let limit = now().adding(days: -retentionDays)
        do throws(StorageFailure) {
            var count = HoldoutSQL.step
            while count == HoldoutSQL.step {
                count = try database.transaction(.repeatable) { session throws(StorageFailure) in
                    try session.run(HoldoutSQL.deleteOld, .time(limit)).changes
                }
            }
        } catch {
            timer.tryAgain()
        }
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

import Offers
import Synchronization

/// How far ended subscriptions were looked for.
struct EndedLook {
    /// The last one that was looked at; `nil` at the beginning.
    var place: SubscriptionIdentity?
    /// When all were looked through last.
    var done: Timestamp?
}

extension Journal {
    /// Deletes some of the redemptions and subscriptions that are older than they are kept, as far as the clock can be
    /// believed, and gives a number; 0 where nothing is left to do.
    func deleteOldStates(byClock now: Timestamp) throws(StorageFailure) -> Int {
        guard let moment = try store.believed(byClock: now) else { return 0 }
        let states = writer.held.store
        var count = 0
        if let days = states.retentionDays { count += try states.deleteRedemptions(before: moment.adding(days: -days)) }
        guard let days = store.endedSubscriptionDays else { return count }
        var look = writer.held.endedLook.withLock { $0 }
        let isMore = try states.deleteEnded(before: moment.adding(days: -days), &look, at: now)
        writer.held.endedLook.withLock { $0 = look }
        return isMore ? count + 1 : count
    }
}

/// Deletes redemptions and subscriptions that are older than they are kept.
extension StateStore {
    /// How many subscriptions one step looks at: signing waits for one step, and no longer.
    private static let step = 500

    /// Deletes some of the redemptions and erasures of before a moment: a short step.
    ///
    /// It gives their number.
    func deleteRedemptions(before limit: Timestamp) throws(StorageFailure) -> Int {
        try database.transaction(.beside) { session throws(StorageFailure) in
            try session.run([
                SQLCall(RedemptionSQL.deleteOld, .time(limit)), SQLCall(RedemptionSQL.deleteUndated, .time(limit)),
                SQLCall(ErasureSQL.deleteOld, .time(limit)),
            ]).reduce(0) { $0 + $1.changes }
        }
    }

    /// Looks at some subscriptions, and deletes those that ended before a moment; `true` where there are more to look at.
    ///
    /// All are looked through once a day, in the order of their key: an index of their ends would be changed by each renewal.
    func deleteEnded(before limit: Timestamp, _ look: inout EndedLook, at now: Timestamp) throws(StorageFailure) -> Bool
    {
        guard look.place != nil || look.done.map({ $0.adding(days: 1) <= now }) ?? true else { return false }
        let page = try database.read { [place = look.place] session throws(StorageFailure) in
            try session.run(StateSQL.page(Self.step, after: place)).chapters()
        }
        let ended = page.filter { $0.isOver(before: limit, at: now) }.map(\.identity)
        if !ended.isEmpty {
            try database.transaction(.repeatable, locking: Set(ended.map(Self.lock(of:)))) {
                session throws(StorageFailure) in
                // Apple may have spoken since.
                let chapters = try session.held(ended).values.filter { $0.isOver(before: limit, at: now) }
                guard !chapters.isEmpty else { return }
                for chapter in chapters { _ = try session.delete(chapter, withRedemptions: false) }
            }
        }
        look.place = page.count < Self.step ? nil : page.last?.identity
        if look.place == nil { look.done = now }
        return look.place != nil
    }
}

extension StateSQL {
    /// The next subscriptions after one, in the order of the key.
    static func page(_ length: Int, after place: SubscriptionIdentity?) -> SQLCall {
        SQLCall(
            "SELECT bundle_id, environment, original_transaction_id, body FROM held_subscriptions "
                + "WHERE (original_transaction_id, bundle_id, environment) > ($1, $2, $3) "
                + "ORDER BY original_transaction_id, bundle_id, environment LIMIT \(length)",
            .text(place?.originalTransactionId ?? ""),
            .text(place?.bundleId ?? ""),
            .text(place?.environment.rawValue ?? "")
        )
    }
}

extension Rows {
    /// Those of ``StateSQL/page(_:after:)``; one of an environment that nobody knows is left out.
    func chapters() throws(StorageFailure) -> [Chapter] {
        var chapters: [Chapter] = []
        chapters.reserveCapacity(count)
        for row in rows {
            guard let identity = try identity(row, from: 0) else { continue }
            chapters.append(try Chapter(identity, bytes: try bytes(row, 3)))
        }
        return chapters
    }
}

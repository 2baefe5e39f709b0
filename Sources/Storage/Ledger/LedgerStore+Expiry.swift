import Offers
import Synchronization

/// How far old presentations were looked for, page by page.
struct PresentationLook {
    var page: Int64 = 0
    /// The moment before which all presentations were deleted; `nil` until all pages were looked through.
    var limit: Int64?
}

/// Deletes what the ledger no longer keeps.
extension LedgerStore {
    private static let dayMilliseconds: Int64 = 86_400_000
    /// How old a record has to be before its time is believed: a day.
    private static let secondsUntilBelieved: Int64 = 86_400
    /// How far the clock is believed to be beyond that record: thirty days without a signature.
    private static let longestPauseSeconds: Int64 = 30 * 86_400

    /// Deletes some of what is older than the ledger keeps it, as far as the clock can be believed.
    ///
    /// Days are counted back from the clock, which is believed up to thirty days after the newest record that is a day old.
    /// So a clock that is years ahead deletes little before its time until the service has signed by that clock for a
    /// day, whatever is started again meanwhile; a service that was away for longer deletes later.
    func deleteOld(byClock now: Timestamp) throws(StorageFailure) -> Int {
        guard let moment = try believed(byClock: now) else { return 0 }
        return try deleteOld(countingFrom: moment)
    }

    /// The moment that days are counted back from; `nil` while no record is a day old.
    func believed(byClock now: Timestamp) throws(StorageFailure) -> Timestamp? {
        let believed = SQLValue.integer(now.adding(seconds: -Self.secondsUntilBelieved).millisecondsSince1970)
        let newest = try database.read { session throws(StorageFailure) in
            try session.run(LedgerSQL.newestTime, believed).optionalTime(0, 0)
        }
        guard let newest else { return nil }
        return min(now, newest.adding(seconds: Self.longestPauseSeconds))
    }

    /// Deletes some of the answers to calls that were given before a moment: a short step.
    ///
    /// It gives their number.
    func deleteAnswers(before moment: Timestamp) throws(StorageFailure) -> Int {
        try database.transaction(.beside) { session throws(StorageFailure) in
            try session.run(LedgerSQL.deleteAnswers, .time(moment)).changes
        }
    }

    /// Deletes some of what is older than the ledger keeps it, counted back from a moment, and signs what was deleted: one
    /// short step, as nothing is signed meanwhile.
    ///
    /// It gives the number of deleted rows, and 1 at least where more has to be looked through; 0 when nothing is left.
    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int {
        let start = EvidenceSharing.start(at: moment).millisecondsSince1970
        let presentations = try deletePresentations(before: start)
        guard presentations == 0, let retentionDays else { return presentations }
        let limit = moment.adding(days: -retentionDays)
        let oldest = try database.read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.oldestChain, .time(limit))
            return rows.count > 0 ? try rows.text(0, 0) : nil
        }
        guard let oldest else { return 0 }
        let count = try deleteSome(of: oldest, before: limit)
        guard count == 0 else { return count }
        // A chain is deleted from its start on: where a clock was set back, its oldest record may not be the first.
        for chain in try database.read({ session throws(StorageFailure) in try session.chains() }) {
            let count = try deleteSome(of: chain.writer, before: limit)
            if count > 0 { return count }
        }
        return 0
    }

    /// Deletes some of the old presentations, and gives their number; 1 at least where there are more pages to look through.
    ///
    /// PostgreSQL has no index of their times, as each note of a time would change it: once a day all pages are looked
    /// through, some in each step.
    private func deletePresentations(before limit: Int64) throws(StorageFailure) -> Int {
        guard database.dialect == .postgreSQL else {
            return try database.transaction(.beside) { session throws(StorageFailure) in
                try session.run(LedgerSQL.deletePresentations, .integer(limit)).changes
            }
        }
        let (page, last) = presentationLook.withLock { ($0.page, $0.limit) }
        guard page > 0 || last.map({ abs(limit - $0) >= Self.dayMilliseconds }) ?? true else { return 0 }
        let (calls, next) = PostgreSQLBatch.deletePresentations(from: page, before: limit)
        let (count, isMore) = try database.transaction(.beside) { session throws(StorageFailure) in
            let answers = try session.run(calls)
            guard answers.count == calls.count else { throw .malformed("count") }
            return (answers[0].changes, try answers[1].boolean(0, 0))
        }
        presentationLook.withLock { look in
            look.page = isMore ? next : 0
            if !isMore { look.limit = limit }
        }
        return isMore ? max(count, 1) : count
    }

    /// Deletes some of the oldest records of a chain, and leaves a signed statement of how far.
    ///
    /// Only what is as it was signed is deleted: a changed record stays, for `ledger verify`.
    private func deleteSome(of writer: String, before limit: Timestamp) throws(StorageFailure) -> Int {
        let (keys, now) = (keys, now())
        return try database.transaction(.beside) { session throws(StorageFailure) in
            try session.lock(LockRows.deletion)
            // A statement by a key that was replaced would not verify.
            try keys.checkIsNewest(session)
            guard let chain = try session.chain(of: writer) else { return 0 }
            var last = LedgerChain.Head(number: 0, hash: chain.beginning)
            if let stump = try session.statement(.retention, of: chain, by: keys)?.head { last = stump }
            let oldest = try session.run(
                LedgerSQL.records,
                .text(writer),
                .integer(.min),
                .integer(Int64(LedgerSQL.deletionStep))
            ).records()
            var count = 0
            for record in oldest {
                guard record.time < limit else { break }
                guard record.follows(last) else {
                    throw StorageFailure(
                        .malformed,
                        "record \(record.number) of chain \(writer) is old, but not what was recorded: it is not deleted; "
                            + "see what `offer-signer ledger verify` says"
                    )
                }
                last = record.head
                count += 1
            }
            guard count > 0 else { return 0 }
            // After its first records are deleted, only this statement shows how the chain began.
            try session.put(try LedgerStatement(.retention, of: chain, at: last, time: now, keys: keys))
            try session.send(SQLCall(LedgerSQL.deleteRecords, .text(writer), .integer(last.number)))
            try session.send(SQLCall(ConfigurationSQL.delete, .text(writer), .integer(last.number)))
            if session.dialect == .sqlite {
                try session.send(SQLCall(NonceSQL.delete, .text(writer), .integer(last.number)))
            }
            return count
        }
    }
}

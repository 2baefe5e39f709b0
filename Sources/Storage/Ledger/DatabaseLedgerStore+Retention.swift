import Offers
import Synchronization

/// How far old presentations were looked for, page by page.
struct PresentationLook {
    /// The next page.
    var page: Int64 = 0
    /// The moment before which all presentations were deleted; `nil` until all pages were looked through.
    var limit: Int64?
}

/// Deletes what the ledger no longer keeps.
extension DatabaseLedgerStore {
    /// A day in milliseconds.
    private static let day: Int64 = 86_400_000

    func newestRecord(before moment: Timestamp) throws(StorageFailure) -> Timestamp? {
        try database.read { session throws(StorageFailure) in
            try session.run(LedgerSQL.newestTime, .integer(moment.millisecondsSince1970)).optionalInteger(0, 0)
                .map(Timestamp.init(millisecondsSince1970:))
        }
    }

    func deleteAnswers(before moment: Timestamp) throws(StorageFailure) -> Int {
        try database.transaction(.beside) { session throws(StorageFailure) in
            try session.run(LedgerSQL.deleteAnswers, .integer(moment.millisecondsSince1970)).changes
        }
    }

    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int {
        let start = EvidenceSharing.start(at: moment).millisecondsSince1970
        let presentations = try deletePresentations(before: start)
        guard presentations == 0, let retentionDays else { return presentations }
        let limit = moment.adding(days: -retentionDays)
        let oldest = try database.read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.oldestChain, .integer(limit.millisecondsSince1970))
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

    /// Deletes some of the old presentations.
    ///
    /// PostgreSQL has no index of their times, as each note of a time would change it: once a day all pages are looked
    /// through, some in each step.
    ///
    /// - Returns: How many were deleted; 1 at least where there are more pages to look through.
    private func deletePresentations(before limit: Int64) throws(StorageFailure) -> Int {
        guard database.dialect == .postgreSQL else {
            return try database.transaction(.beside) { session throws(StorageFailure) in
                try session.run(LedgerSQL.deletePresentations, .integer(limit)).changes
            }
        }
        let (page, last) = presentationLook.withLock { ($0.page, $0.limit) }
        guard page > 0 || last.map({ abs(limit - $0) >= Self.day }) ?? true else { return 0 }
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

    func forgetPresentations(of customer: String, bundleId: String) throws(StorageFailure) -> Int {
        let digest = keys.digestKey.digest(customer: customer, originalTransactionId: nil, bundleId: bundleId)
        // Read beside the writer, who only writes what is found.
        let found = try database.read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.presentationsOf, .bytes(digest))
            var found: [PresentedSubscription] = []
            for row in rows.rows {
                found.append(
                    PresentedSubscription(
                        bundleId: try rows.text(row, 0),
                        environment: try rows.text(row, 1),
                        originalTransactionId: try rows.text(row, 2)
                    )
                )
            }
            return found
        }
        guard !found.isEmpty else { return 0 }
        try database.transaction(.repeatable) { session throws(StorageFailure) in
            for subscription in found {
                try session.send(SQLCall(LedgerSQL.deletePresentation, subscription.values + [.bytes(digest)]))
            }
        }
        return found.count
    }

    /// Deletes some of the oldest records of a chain, and leaves a signed statement of how far.
    ///
    /// Only what is as it was signed is deleted: a changed record stays, for `ledger verify`.
    private func deleteSome(of writer: String, before limit: Timestamp) throws(StorageFailure) -> Int {
        let (keys, now) = (keys, now())
        return try database.transaction(.beside) { session throws(StorageFailure) in
            try session.lock(AdvisoryLocks.deletion)
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
                guard record.number == last.number + 1, record.hash == record.computedHash(after: last.hash) else {
                    throw StorageFailure(
                        .malformed,
                        "record \(record.number) of chain \(writer) is old, but not what was recorded: it is not deleted; "
                            + "see what `offer-signer ledger verify` says"
                    )
                }
                last = LedgerChain.Head(number: record.number, hash: record.hash)
                count += 1
            }
            guard count > 0 else { return 0 }
            // After its first records are deleted, only this statement shows how the chain began.
            try session.put(try LedgerStatement(.retention, of: chain, at: last, time: now, keys: keys))
            try session.send(SQLCall(LedgerSQL.deleteRecords, .text(writer), .integer(last.number)))
            if session.dialect == .sqlite {
                try session.send(SQLCall(NonceSQL.delete, .text(writer), .integer(last.number)))
            }
            return count
        }
    }
}

extension Session {
    /// Counts for a customer.
    func answer(to question: LedgerQuestion, _ digestKey: DigestKey) throws(StorageFailure) -> LedgerAnswer {
        let signatures = question.offers.flatMap { offer, limit, originalTransactionId in
            let digest = digestKey.digest(
                customer: question.customer,
                originalTransactionId: originalTransactionId,
                bundleId: question.bundleId
            )
            let subscriptions = originalTransactionId.map(question.subscriptions) ?? []
            let others = subscriptions.dropFirst().map {
                digestKey.digest(
                    customer: nil,
                    originalTransactionId: $0.originalTransactionId,
                    bundleId: question.bundleId
                )
            }
            return LedgerBatch.SignatureCount.all(
                customer: question.knownAccount?.bytes ?? digest,
                beside: (question.knownAccount == nil ? [] : [digest]) + (question.customer == nil ? others : []),
                offer: offer,
                redeemed: subscriptions,
                start: limit.start(at: question.now).millisecondsSince1970
            )
        }
        let customer = question.customer.map {
            digestKey.digest(customer: $0, originalTransactionId: nil, bundleId: question.bundleId)
        }
        let start = EvidenceSharing.start(at: question.now).millisecondsSince1970
        let asked = question.originalTransactionIds.map(question.subscriptions)
        let subscriptions = asked.joined().map { LedgerBatch.Presentations(subscription: $0, start: start) }
        let (counts, _) = try counts(Array(Set(signatures)), Array(Set(subscriptions)))
        var answer = LedgerAnswer()
        for signature in signatures {
            answer.signatures[signature.offer, default: 0] += counts.signatures[signature] ?? 0
        }
        for subscription in asked {
            let first = counts.presentations[subscription[0]] ?? [:]
            let presented = subscription.dropFirst().reduce(into: first) { all, one in
                all.merge(counts.presentations[one] ?? [:]) { max($0, $1) }
            }
            answer.presentations[subscription[0].originalTransactionId] = LedgerBatch.presentations(
                presented,
                customer,
                at: question.now
            )
        }
        return answer
    }
}

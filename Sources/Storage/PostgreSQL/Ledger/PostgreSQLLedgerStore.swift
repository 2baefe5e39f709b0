import Offers
import Synchronization

/// The ledger in a PostgreSQL database, which several services may share: each has a chain of its own, and limits hold
/// for all of them together.
final class PostgreSQLLedgerStore: LedgerStore {
    private struct Chain {
        /// How far the chain is; `nil` when that has to be read, as before the first commit and after a failed one.
        var head: LedgerChain.Head?
        /// The number of the last record that a checkpoint covers.
        var checkpoint: Int64 = 0
    }

    private let database: PostgreSQLDatabase
    private let keys: LedgerKeys
    private let retentionDays: Int?
    private let now: @Sendable () -> Timestamp
    private let writer = LedgerWriterName.random()
    private let chain = Mutex(Chain())

    /// Begins a chain of its own with the first record.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - keys: What digests and checkpoints are made with: the same for all who share the database.
    ///   - retentionDays: For how many days records are kept; `nil` for ever.
    ///   - now: The server's clock.
    init(
        database: PostgreSQLDatabase,
        keys: LedgerKeys,
        retentionDays: Int?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.keys = keys
        self.retentionDays = retentionDays
        self.now = now
    }

    func commit(
        _ entries: [LedgerEntry],
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> [[GrantOutcome]] {
        let batch = PostgreSQLLedgerBatch(entries, digestKey: keys.digestKey)
        return try database.write { [self] connection throws(PostgreSQLError) in
            let known = chain.withLock { chain in
                // Read again unless this commit succeeds: after a connection was lost, only the database knows.
                defer { chain.head = nil }
                return chain.head
            }
            var head = known
            if head == nil { head = try connection.headBeginning(writer, at: now()) }
            guard let head else { throw PostgreSQLError(.unexpectedAnswer) }
            var work: LedgerWork
            do throws(StorageFailure) {
                work = try LedgerWork(writer: writer, head: head, digestKey: keys.digestKey)
            } catch {
                throw PostgreSQLError(.unexpectedAnswer, error.detail)
            }
            let outcomes = try PostgreSQLConnection.retryingCollisions { () throws(PostgreSQLError) in
                try connection.commit(batch, with: &work, while: isWanted)
            }
            chain.withLock { $0.head = work.head }
            return outcomes
        }
    }

    func probe() throws(StorageFailure) {
        try database.write { [self] connection throws(PostgreSQLError) in
            _ = try connection.headBeginning(writer, at: now())
            let time = PostgreSQLValue.integer(now().millisecondsSince1970)
            _ = try connection.run(PostgreSQLCall(LedgerSQL.seen, time, .text(writer)))
            try connection.commitNothing()
        }
    }

    func writeCheckpoint() throws(StorageFailure) {
        let (head, covered) = chain.withLock { ($0.head, $0.checkpoint) }
        guard let head, head.number > covered else { return }
        let checkpoint = try keys.checkpoint(.checkpoint, of: writer, at: head, time: now())
        try database.write { connection throws(PostgreSQLError) in
            do throws(PostgreSQLError) {
                try connection.run(PostgreSQLLedgerStatements.insert(checkpoint))
            } catch {
                // It is there: the connection was lost before the server had said so.
                guard error.code == .refused(.uniqueViolation) else { throw error }
            }
        }
        chain.withLock { $0.checkpoint = head.number }
    }

    func newestRecord(before moment: Timestamp) throws(StorageFailure) -> Timestamp? {
        let call = PostgreSQLCall(LedgerSQL.newestTime, .integer(moment.millisecondsSince1970))
        return try database.workWaiting { connection throws(PostgreSQLError) in
            try connection.run(call).optionalInteger(0, 0).map(Timestamp.init(millisecondsSince1970:))
        }
    }

    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int {
        let start = PostgreSQLValue.integer(EvidenceSharing.start(at: moment).millisecondsSince1970)
        let presentations = try database.workWaiting { connection throws(PostgreSQLError) in
            try connection.run(PostgreSQLCall(LedgerSQL.deletePresentations, start)).changes
        }
        guard presentations == 0, let retentionDays else { return presentations }
        let limit = moment.adding(days: -retentionDays)
        let time = PostgreSQLValue.integer(limit.millisecondsSince1970)
        let oldest = try database.workWaiting { connection throws(PostgreSQLError) in
            let rows = try connection.run(PostgreSQLCall(LedgerSQL.oldestChain, time))
            return rows.count > 0 ? try rows.text(0, 0) : nil
        }
        guard let oldest else { return 0 }
        let count = try deleteSome(of: oldest, before: limit, at: now())
        guard count == 0 else { return count }
        // A chain is deleted from its start on: where a clock was set back, its oldest record may not be the first.
        for chain in try database.chains() {
            let count = try deleteSome(of: chain.writer, before: limit, at: now())
            if count > 0 { return count }
        }
        return 0
    }

    func forgetPresentations(of customer: String, bundleId: String) throws(StorageFailure) -> Int {
        let digest = keys.digestKey.digest(customer: customer, originalTransactionId: nil, bundleId: bundleId)
        return try database.workWaiting { connection throws(PostgreSQLError) in
            let found = try connection.run(PostgreSQLCall(LedgerSQL.presentationsOf, .bytes(digest)))
            var deletions: [PostgreSQLCall] = []
            for row in found.rows {
                deletions.append(
                    PostgreSQLCall(
                        LedgerSQL.deletePresentation,
                        .text(try found.text(row, 0)),
                        .text(try found.text(row, 1)),
                        .text(try found.text(row, 2)),
                        .bytes(digest)
                    )
                )
            }
            _ = try connection.run(deletions)
            return deletions.count
        }
    }

    /// Deletes a bounded number of records, beside whoever writes.
    private func deleteSome(
        of writer: String,
        before limit: Timestamp,
        at now: Timestamp
    ) throws(StorageFailure) -> Int {
        try database.workWaiting { [keys] connection throws(PostgreSQLError) in
            try connection.deleteSome(of: writer, before: limit) { stump, chain throws(PostgreSQLError) in
                do throws(StorageFailure) {
                    // With the record that led to it, nothing else would tell how the chain began.
                    let beginning = chain.beginning
                    return try keys.checkpoint(.retention, of: writer, at: stump, time: now, beginning: beginning)
                } catch {
                    throw PostgreSQLError(.stopped, error.detail)
                }
            }
        }
    }

    func standing(of question: LedgerQuestion) async throws(StorageFailure) -> LedgerStanding {
        let counts = question.offers.map { offer, limit, originalTransactionId in
            PostgreSQLLedgerBatch.SignatureCount(
                customer: keys.digestKey.digest(
                    customer: question.customer,
                    originalTransactionId: originalTransactionId,
                    bundleId: question.bundleId
                ),
                offer: offer,
                redeemed: originalTransactionId.map(question.subscription),
                start: limit.start(at: question.now).millisecondsSince1970
            )
        }
        let customer = question.customer.map {
            keys.digestKey.digest(customer: $0, originalTransactionId: nil, bundleId: question.bundleId)
        }
        let subscriptions = question.originalTransactionIds.map(question.subscription)
        return try await database.work { connection throws(PostgreSQLError) in
            try connection.standing(counts, subscriptions, of: customer, at: question.now)
        }
    }
}

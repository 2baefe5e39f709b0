import Foundation
import GRDB
import Offers
import Synchronization

/// The ledger in an SQLite file.
final class SQLiteLedgerStore: LedgerStore {
    private struct Chain {
        /// How far the chain is; `nil` when that has to be read, as before the first commit and after a failed one.
        var head: LedgerChain.Head?
        /// How the nonces begin that no row of ``NonceSQL`` covers yet; worth nothing without the head.
        var nonces: [UInt8] = []
        /// The number of the last record that a checkpoint covers.
        var checkpoint: Int64 = 0
    }

    private let database: SQLiteDatabase
    private let keys: LedgerKeys
    private let retentionDays: Int?
    private let now: @Sendable () -> Timestamp
    private let writer = LedgerWriterName.random()
    private let chain = Mutex(Chain())
    private let standings: GroupRead<LedgerQuestion, LedgerStanding>

    /// Begins a chain of its own with the first record.
    ///
    /// - Parameters:
    ///   - database: The file.
    ///   - keys: What digests and checkpoints are made with.
    ///   - retentionDays: For how many days records are kept; `nil` for ever.
    ///   - now: The server's clock.
    init(
        database: SQLiteDatabase,
        keys: LedgerKeys,
        retentionDays: Int?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.keys = keys
        self.retentionDays = retentionDays
        self.now = now
        standings = GroupRead { (questions) throws(StorageFailure) in
            try database.read { database in try questions.map { try database.standing(of: $0, keys.digestKey) } }
        }
    }

    func commit(
        _ entries: [LedgerEntry],
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> [[GrantOutcome]] {
        let (known, nonces) = chain.withLock { chain in
            // Read again unless this commit succeeds.
            defer { (chain.head, chain.nonces) = (nil, []) }
            return (chain.head, chain.nonces)
        }
        try database.files.checkAreInPlace()
        let written = try database.write { database in
            let written = try write(entries, to: database, from: known, nonces)
            guard isWanted() else { throw StorageFailure.abandoned }
            return written
        }
        chain.withLock { ($0.head, $0.nonces) = (written.head, written.nonces) }
        return written.outcomes
    }

    func probe() throws(StorageFailure) {
        try database.files.checkAreInPlace()
        try database.write { database in
            _ = try head(database)
            try database.execute(
                sql: LedgerSQL.seen,
                arguments: [now().millisecondsSince1970, writer]
            )
        }
    }

    func writeCheckpoint() throws(StorageFailure) {
        let (head, covered) = chain.withLock { ($0.head, $0.checkpoint) }
        guard let head, head.number > covered else { return }
        let checkpoint = try keys.checkpoint(.checkpoint, of: writer, at: head, time: now())
        try database.write { try $0.insert(checkpoint) }
        chain.withLock { $0.checkpoint = head.number }
    }

    func newestRecord(before moment: Timestamp) throws(StorageFailure) -> Timestamp? {
        let time = try database.read { database in
            try Int64.fetchOne(database, sql: LedgerSQL.newestTime, arguments: [moment.millisecondsSince1970])
        }
        return time.map(Timestamp.init(millisecondsSince1970:))
    }

    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int {
        let presentations = try database.write { database in
            try database.execute(
                sql: LedgerSQL.deletePresentations,
                arguments: [EvidenceSharing.start(at: moment).millisecondsSince1970]
            )
            return database.changesCount
        }
        guard presentations == 0, let retentionDays else { return presentations }
        let limit = moment.adding(days: -retentionDays)
        let oldest = try database.read { database in
            try String.fetchOne(database, sql: LedgerSQL.oldestChain, arguments: [limit.millisecondsSince1970])
        }
        guard let oldest else { return 0 }
        let count = try database.write { try $0.deleteSome(of: oldest, before: limit, keys, now()) }
        guard count == 0 else { return count }
        // A chain is deleted from its start on: where a clock was set back, its oldest record may not be the first.
        for chain in try database.read({ try $0.chains() }) {
            let count = try database.write { try $0.deleteSome(of: chain.writer, before: limit, keys, now()) }
            if count > 0 { return count }
        }
        return 0
    }

    func forgetPresentations(of customer: String, bundleId: String) throws(StorageFailure) -> Int {
        let digest = Data(keys.digestKey.digest(customer: customer, originalTransactionId: nil, bundleId: bundleId))
        // Looked for beside whoever writes: only what is found is written.
        let found = try database.read { database in
            try Row.fetchAll(database, sql: LedgerSQL.presentationsOf, arguments: [digest]).map { row in
                PresentedSubscription(
                    bundleId: try row.value("bundle_id"),
                    environment: try row.value("environment"),
                    originalTransactionId: try row.value("original_transaction_id")
                )
            }
        }
        guard !found.isEmpty else { return 0 }
        try database.write { database in
            for subscription in found {
                try database.execute(
                    sql: LedgerSQL.deletePresentation,
                    arguments: [
                        subscription.bundleId, subscription.environment, subscription.originalTransactionId, digest,
                    ]
                )
            }
        }
        return found.count
    }

    func standing(of question: LedgerQuestion) async throws(StorageFailure) -> LedgerStanding {
        try await standings.answer(question)
    }

    private func write(
        _ entries: [LedgerEntry],
        to database: Database,
        from known: LedgerChain.Head?,
        _ nonces: [UInt8]
    ) throws -> (outcomes: [[GrantOutcome]], head: LedgerChain.Head, nonces: [UInt8]) {
        var work = try LedgerWork(writer: writer, head: try known ?? head(database), digestKey: keys.digestKey)
        let nonces = known == nil ? try database.uncoveredNonces(of: writer) : nonces
        var insertion = RecordInsertion(in: database, nonces: nonces)
        var outcomes: [[GrantOutcome]] = []
        outcomes.reserveCapacity(entries.count)
        // By their places: a grant that is taken out is copied, with all that it refers to.
        for index in entries.indices {
            let count = entries[index].grants.count
            var ofEntry: [GrantOutcome] = []
            ofEntry.reserveCapacity(count)
            for place in 0..<count {
                ofEntry.append(
                    try write(entries[index].grants[place], of: entries[index], with: &work, &insertion, to: database)
                )
            }
            outcomes.append(ofEntry)
        }
        try insertion.insertWaiting(of: &work)
        return (outcomes, work.head, insertion.nonces)
    }

    private func write(
        _ grant: OfferGrant,
        of entry: LedgerEntry,
        with work: inout LedgerWork,
        _ insertion: inout RecordInsertion,
        to database: Database
    ) throws -> GrantOutcome {
        let customer = keys.digestKey.digest(
            customer: entry.customer,
            originalTransactionId: grant.originalTransactionId,
            bundleId: entry.bundleId
        )
        var presented: PresentedSubscription?
        if let maximum = grant.maximumAccounts, entry.customer != nil, let subscription = entry.subscription(of: grant)
        {
            let (presentations, lastSeen) = try database.presentations(of: subscription, customer, at: entry.time)
            guard presentations.allows(maximum) else { return .evidenceShared(others: presentations.others) }
            // In a period of days, an hour makes no difference.
            if lastSeen.map({ $0.adding(seconds: 3600) < entry.time }) ?? true { presented = subscription }
        }
        if let limit = grant.signatureLimit {
            // What is counted has to be there.
            if work.isWaiting(customer, grant.offer) { try insertion.insertWaiting(of: &work) }
            let count = try database.signatures(
                of: grant.offer,
                customer,
                entry.subscription(of: grant),
                limit,
                at: entry.time
            )
            guard count + grant.signatures.count <= limit.maximumSignaturesPerCustomer else {
                return .signatureLimit(count: count)
            }
        }
        let owner = work.owner(of: entry, customer: customer)
        for signature in grant.signatures {
            work.link(signature, of: grant, in: entry, owner)
            if work.waiting.count == RecordInsertion.most { try insertion.insertWaiting(of: &work) }
        }
        if let presented { try database.note(presented, for: customer, at: entry.time) }
        return .recorded
    }

    /// How far this writer's chain is; begun where it is not there yet.
    private func head(_ database: Database) throws -> LedgerChain.Head {
        if let chain = try database.chain(of: writer) {
            return try database.head(of: writer) ?? LedgerChain.Head(number: 0, hash: chain.beginning)
        }
        let previous = try database.newestChain()
        let chain = LedgerChain(
            writer: writer,
            startedAt: LedgerChain.start(at: now(), after: previous),
            previousWriter: previous?.writer,
            previousHead: try previous.map { try database.headOrStump(of: $0) }
        )
        try database.insert(chain)
        return LedgerChain.Head(number: 0, hash: chain.beginning)
    }
}

extension RecordInsertion {
    /// Writes what was linked and is not written yet.
    fileprivate mutating func insertWaiting(of work: inout LedgerWork) throws {
        try insert(work.waiting.count, work.message, of: work.writer)
        work.removeWaiting()
    }
}

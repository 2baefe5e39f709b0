import Offers

/// What the ledger does on a connection.
extension PostgreSQLConnection {
    private typealias Statements = PostgreSQLLedgerStatements

    /// The key of the lock of whoever begins a chain: "OfferChn" in ASCII.
    private static let beginning: Int64 = 0x4F66_6665_7243_686E
    /// The key of the lock of whoever deletes old records: "OfferDel" in ASCII.
    private static let deletion: Int64 = 0x4F66_6665_7244_656C

    /// Writes entries in one transaction of two round trips: locks and counts, then records and the commit.
    ///
    /// - Parameters:
    ///   - batch: The entries.
    ///   - work: The chain; how far it is then.
    ///   - isWanted: Asked when the locks are there; `false` takes everything back.
    /// - Returns: What became of the entries' grants.
    /// - Throws: ``PostgreSQLError``.
    func commit(
        _ batch: PostgreSQLLedgerBatch,
        with work: inout LedgerWork,
        while isWanted: () -> Bool
    ) throws(PostgreSQLError) -> [[GrantOutcome]] {
        var linked = work
        let calls = [
            AdvisoryLocks.takeUntilCommit(batch.locks), Statements.count(batch.counts),
            Statements.presented(batch.subscriptions),
        ]
        let outcomes = try transaction(calls) { answers throws(PostgreSQLError) in
            guard isWanted() else { throw PostgreSQLError(.abandoned) }
            let standing = try Self.standing(of: batch, answers[1], answers[2])
            let decision = batch.decide(by: standing, with: &linked)
            var changes: [PostgreSQLCall] = []
            if !decision.records.isEmpty { changes.append(Statements.insert(decision.records)) }
            if !decision.presentations.isEmpty { changes.append(Statements.insert(decision.presentations)) }
            return (decision.outcomes, changes)
        }
        work = linked
        return outcomes
    }

    /// Does all that a commit does, of no entries: it fails where a commit would for a missing right or table.
    ///
    /// - Throws: ``PostgreSQLError``.
    func commitNothing() throws(PostgreSQLError) {
        try transaction([Statements.count([]), Statements.presented([])]) { _ throws(PostgreSQLError) in
            ((), [Statements.insert([LedgerRecord]()), Statements.insert([:])])
        }
    }

    private static func standing(
        of batch: PostgreSQLLedgerBatch,
        _ signatures: PostgreSQLRows,
        _ presentations: PostgreSQLRows
    ) throws(PostgreSQLError) -> PostgreSQLLedgerBatch.Standing {
        var standing = PostgreSQLLedgerBatch.Standing()
        for row in signatures.rows {
            let index = try signatures.position(row, among: batch.counts.count)
            standing.signatures[batch.counts[index]] = Int(try signatures.integer(row, 1))
        }
        for row in presentations.rows {
            let index = try presentations.position(row, among: batch.subscriptions.count)
            let customer = try presentations.bytes(row, 1)
            let subscription = batch.subscriptions[index].subscription
            standing.presentations[subscription, default: [:]][customer] = try presentations.integer(row, 2)
        }
        return standing
    }

    /// How far a writer's chain is; begun where it is not there yet.
    ///
    /// Chains begin one after the other, under a lock, each later than the one before whatever the clocks of their
    /// services say, so that each names the one before it.
    ///
    /// - Parameters:
    ///   - writer: The writer.
    ///   - now: The server's clock.
    /// - Returns: How far it is.
    /// - Throws: ``PostgreSQLError``.
    func headBeginning(_ writer: String, at now: Timestamp) throws(PostgreSQLError) -> LedgerChain.Head {
        if let chain = try run(PostgreSQLCall(LedgerSQL.chain, .text(writer))).chains().first {
            return try headOrStump(of: chain)
        }
        let lock = AdvisoryLocks.takeUntilCommit([Self.beginning])
        return try transaction([lock]) { _ throws(PostgreSQLError) in
            let previous = try run(PostgreSQLCall(LedgerSQL.newestChain)).chains().first
            var previousHead: LedgerChain.Head?
            if let previous { previousHead = try headOrStump(of: previous) }
            let chain = LedgerChain(
                writer: writer,
                startedAt: LedgerChain.start(at: now, after: previous),
                previousWriter: previous?.writer,
                previousHead: previousHead
            )
            return (LedgerChain.Head(number: 0, hash: chain.beginning), [Statements.insert(chain)])
        }
    }

    /// How far a chain is, also when all its records were deleted for their age.
    private func headOrStump(of chain: LedgerChain) throws(PostgreSQLError) -> LedgerChain.Head {
        if let head = try run(PostgreSQLCall(LedgerSQL.head, .text(chain.writer))).head() { return head }
        let retention = PostgreSQLValue.text(LedgerCheckpoint.Kind.retention.rawValue)
        let stump = try run(PostgreSQLCall(LedgerSQL.newestCheckpoint, .text(chain.writer), retention)).head()
        return stump ?? LedgerChain.Head(number: 0, hash: chain.beginning)
    }

    /// Deletes some of the oldest records of a chain, and leaves a signed statement of how far.
    ///
    /// - Parameters:
    ///   - writer: The chain's writer.
    ///   - limit: What is older goes.
    ///   - sign: Signs the statement.
    /// - Returns: How many records were deleted; 0 when there are none that are old enough.
    /// - Throws: ``PostgreSQLError``.
    func deleteSome(
        of writer: String,
        before limit: Timestamp,
        sign: (LedgerChain.Head, _ chain: LedgerChain) throws(PostgreSQLError) -> LedgerCheckpoint
    ) throws(PostgreSQLError) -> Int {
        let lock = AdvisoryLocks.takeUntilCommit([Self.deletion])
        return try transaction([lock]) { _ throws(PostgreSQLError) in
            let oldest = try run(PostgreSQLCall(LedgerSQL.oldestRecords, .text(writer)))
            var stump: LedgerChain.Head?
            for row in oldest.rows {
                guard try oldest.integer(row, 2) < limit.millisecondsSince1970 else { break }
                stump = LedgerChain.Head(number: try oldest.integer(row, 0), hash: try oldest.bytes(row, 1))
            }
            let chain = try run(PostgreSQLCall(LedgerSQL.chain, .text(writer))).chains().first
            guard let stump, let chain else { return (0, []) }
            let answers = try run(
                [
                    Statements.insert(try sign(stump, chain)),
                    PostgreSQLCall(LedgerSQL.deleteRecords, .text(writer), .integer(stump.number)),
                    PostgreSQLCall(LedgerSQL.deleteCheckpoints, .text(writer), .integer(stump.number)),
                ]
            )
            return (answers[1].changes, [])
        }
    }

    /// Counts what is known of a customer.
    ///
    /// - Parameters:
    ///   - counts: The signatures to count, each with the offer that it answers for.
    ///   - subscriptions: The subscriptions to look up.
    ///   - customer: The customer's digest, for presentations; `nil` when the request names no account.
    ///   - now: The server's clock.
    /// - Returns: The counts.
    /// - Throws: ``PostgreSQLError``.
    func standing(
        _ counts: [PostgreSQLLedgerBatch.SignatureCount],
        _ subscriptions: [PresentedSubscription],
        of customer: [UInt8]?,
        at now: Timestamp
    ) throws(PostgreSQLError) -> LedgerStanding {
        let start = EvidenceSharing.start(at: now).millisecondsSince1970
        let answers = try run(
            [Statements.count(counts), Statements.presented(subscriptions.map { (subscription: $0, start: start) })]
        )
        var standing = LedgerStanding()
        for row in answers[0].rows {
            let index = try answers[0].position(row, among: counts.count)
            standing.signatures[counts[index].offer] = Int(try answers[0].integer(row, 1))
        }
        guard let customer else { return standing }
        var presented = [PostgreSQLLedgerBatch.Presented](repeating: [:], count: subscriptions.count)
        for row in answers[1].rows {
            let index = try answers[1].position(row, among: subscriptions.count)
            presented[index][try answers[1].bytes(row, 1)] = try answers[1].integer(row, 2)
        }
        for (subscription, presented) in zip(subscriptions, presented) {
            standing.presentations[subscription.originalTransactionId] = PostgreSQLLedgerBatch.presentations(
                presented,
                customer,
                at: now
            )
        }
        return standing
    }
}

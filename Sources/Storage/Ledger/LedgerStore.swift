import Offers
import Synchronization

/// The ledger in a database, which several services may share: each has a chain of its own, and limits hold for all of them
/// together.
///
/// Its calls block: the ``Journal`` makes them from its thread. The first record begins a chain.
final class LedgerStore: Sendable {
    private struct Chain {
        var writer = LedgerChain.newWriter()
        var isBegun = false
        /// Its possible ends: one place, or several after a commit of which it is not known whether it was done.
        var heads: [LedgerChain.Head] = []
        /// The last record that was confirmed to be on durable storage, by whichever server; `nil` before the first.
        var confirmed: LedgerChain.Head?
        /// The number of the last record that a checkpoint covers.
        var covered: Int64 = 0
        /// When it was last looked for chains whose writers are gone.
        var lastLook: ContinuousClock.Instant?

        /// How far it is; `nil` where that is not known.
        var head: LedgerChain.Head? { isBegun && heads.count == 1 ? heads.first : nil }
    }

    private struct Written<Value: Sendable>: Sendable {
        var value: Value
        var head: LedgerChain.Head
    }

    /// How much time passes between two looks for chains whose writers are gone.
    private static let pause = Duration.seconds(60)

    let database: any SQLDatabase
    let keys: LedgerKeys
    let retentionDays: Int?
    /// How long subscriptions are held after their end; `nil` for ever.
    let endedSubscriptionDays: Int?
    let now: @Sendable () -> Timestamp
    /// Whether the database's disk was full the last time.
    private let wasFull = Atomic(false)
    private let chain = Mutex(Chain())
    private let seen = Mutex(SeenHeads())
    /// How far old presentations were looked for, where no index leads to them.
    let presentationLook = Mutex(PresentationLook())

    /// Takes keys that are the same for all who share the database; records are kept for so many days, or for ever (`nil`).
    init(
        _ database: any SQLDatabase,
        keys: LedgerKeys,
        retentionDays: Int?,
        endedSubscriptionDays: Int? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.keys = keys
        self.retentionDays = retentionDays
        self.endedSubscriptionDays = endedSubscriptionDays
        self.now = now
    }

    /// Writes entries in one transaction, in their order; limits are checked as each is written.
    ///
    /// It gives for each entry the outcomes of its grants, when all is on durable storage; `nil` for one that was left out, as
    /// another transaction has a lock that it needs.
    ///
    /// When all but the commit is done it asks whether that is still wanted, however long somebody else kept the database
    /// locked: if not, it takes everything back, and throws ``StorageFailure/abandoned``.
    func commit(
        _ entries: [LedgerEntry],
        beside companion: CompanionWork,
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> (outcomes: [[GrantOutcome]?], beside: CompanionWork.Outcome) {
        guard !entries.isEmpty else { return ([], try commit(companion, while: isWanted)) }
        let batch = LedgerBatch(entries, digestKey: keys.digestKey)
        let others = database.dialect == .sqlite ? [] : batch.locks.union(companion.locks)
        return try writing { [self] session, writer throws(StorageFailure) in
            // SQLite has one writer at a time anyway.
            let own = session.dialect == .sqlite ? nil : LockRows.row(ofWriter: writer)
            let locks = own.map { others.union([$0]) } ?? []
            let acquisition = LockRows.acquisition(of: locks)
            let (counts, answers) = try session.counts(
                batch.counts,
                batch.subscriptions,
                batch.calls,
                with: acquisition + [SQLCall(LedgerSQL.end, .text(writer))] + companion.questions
            )
            let locked = try session.locked(of: locks, answers.prefix(acquisition.count))
            let rest = answers.dropFirst(acquisition.count)
            // A chain is ended under its lock, by others in a moment.
            guard isWanted(), own.map(locked.contains) != true else { throw .abandoned }
            let head = try end(of: writer, rest.first, session)
            var work = try ChainWriter(writer: writer, head: head, digestKey: keys.digestKey)
            let aside = batch.places(needing: locked, digestKey: keys.digestKey)
            let decision = try batch.decide(by: counts, with: &work, leavingOut: aside)
            let beside = try companion.run(session, rest.dropFirst(), locked)
            try session.write(decision)
            // PostgreSQL gets what was written with the commit. Where somebody waits for a short time alone it gets it
            // before, as it may have to wait for a lock: after this nothing is taken back.
            if batch.calls.contains(where: \.isUrgent) { _ = try session.run([]) }
            guard isWanted() else { throw .abandoned }
            try LedgerReadBack.expect(decision, in: session)
            chain.withLock { $0.heads = [head, work.head] }
            return Written(value: (decision.outcomes, beside), head: work.head)
        }
    }

    /// Adds records of its own to the chain, with what else the body writes, in one transaction; it gets the chain's end, and
    /// gives the new one.
    func extend<Value: Sendable>(
        _ body:
            @escaping @Sendable (any Session, LedgerChain.Head, _ writer: String) throws(StorageFailure)
            -> (value: Value, records: [LedgerRecord], head: LedgerChain.Head)
    ) throws(StorageFailure) -> Value {
        try writing(locksWriter: true) { [self] session, writer throws(StorageFailure) in
            let (_, answers) = try session.counts([], [], with: [SQLCall(LedgerSQL.end, .text(writer))])
            let head = try end(of: writer, answers.first, session)
            let extended = try body(session, head, writer)
            let decision = LedgerBatch.Decision(records: extended.records)
            if !extended.records.isEmpty {
                try session.write(decision)
                try LedgerReadBack.expect(decision, in: session)
            }
            chain.withLock { $0.heads = [head, extended.head] }
            return Written(value: extended.value, head: extended.head)
        }
    }

    /// Writes what needs no record.
    private func commit(
        _ companion: CompanionWork,
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StorageFailure) -> CompanionWork.Outcome {
        let locks = database.dialect == .sqlite ? [] : companion.locks
        return try database.transaction(.ledger) { session throws(StorageFailure) in
            let acquisition = LockRows.acquisition(of: locks)
            let answers = try session.run(acquisition + companion.questions)
            let locked = try session.locked(of: locks, answers.prefix(acquisition.count))
            guard isWanted() else { throw .abandoned }
            let outcome = try companion.run(session, answers.dropFirst(acquisition.count), locked)
            guard isWanted() else { throw .abandoned }
            return outcome
        }
    }

    /// Writes a little, to find out whether the database takes it again.
    func probe() throws(StorageFailure) {
        let (keys, now) = (keys, now())
        let fills = wasFull.load(ordering: .relaxed)
        try writing(locksWriter: true) { [self] session, writer throws(StorageFailure) in
            let (_, answers) = try session.counts([], [], with: [SQLCall(LedgerSQL.end, .text(writer))])
            let head = try end(of: writer, answers.first, session)
            if fills, session.dialect == .postgreSQL { _ = try session.run(PostgreSQLBatch.filling(writer)) }
            try session.write(LedgerBatch.Decision(), isProbe: true)
            var signing = try LedgerSigning(session, keys: keys, now: now)
            try signing.finish()
            return Written(value: (), head: head)
        }
    }

    /// Signs how far the chain is, where it has grown since the last time, and the ends of chains whose writers are gone.
    func writeCheckpoint() throws(StorageFailure) {
        let left = try checkLedger()
        let (writer, head, covered, lastLook) = chain.withLock { ($0.writer, $0.head, $0.covered, $0.lastLook) }
        let grown = head.flatMap { $0.number > covered ? $0 : nil }
        let looks = lastLook.map { $0.duration(to: .now) > Self.pause } ?? true
        guard grown != nil || looks || !left.isEmpty else { return }
        let (keys, now) = (keys, now())
        try database.transaction(.ledger) { session throws(StorageFailure) in
            var signing = try LedgerSigning(session, keys: keys, now: now)
            try signing.checkHeads()
            if let grown { signing.advance(writer, to: grown) }
            for other in left { try signing.readOn(other) }
            let gone = looks ? try session.gone(of: signing.openWriters.filter { $0 != writer }) : []
            try signing.end(goneOf: gone)
            guard grown != nil || !left.isEmpty || !gone.isEmpty || !signing.isBegun else { return }
            try signing.finish()
        }
        chain.withLock { chain in
            if looks { chain.lastLook = .now }
            if let grown { chain.covered = grown.number }
        }
    }

    /// Signs the chain's end.
    ///
    /// A later record begins another one.
    func endChain() throws(StorageFailure) {
        let (writer, isBegun) = chain.withLock { ($0.writer, $0.isBegun) }
        guard isBegun else {
            // A service without records of its own may still have seen the chains of others for the first time.
            return try writeCheckpoint()
        }
        let (keys, now) = (keys, now())
        try database.transaction(.ledger) { [self] session throws(StorageFailure) in
            var signing = try LedgerSigning(session, keys: keys, now: now)
            guard signing.isOpen(writer) else { return }
            try signing.checkHeads()
            let answer = try session.run(LedgerSQL.end, .text(writer))
            signing.advance(writer, to: try end(of: writer, answer, session))
            try signing.end([writer])
            try signing.finish()
        }
        chain.withLock { $0 = Chain() }
    }

    /// Counts for a customer, beside the writer; called from a request's task.
    func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        try await database.answer { [keys] session throws(StorageFailure) in
            try session.answer(to: question, keys.digestKey)
        }
    }

    /// The same on the calling thread, without waiting; `nil` where it would have to.
    func answerAtOnce(to question: LedgerQuestion) throws(StorageFailure) -> LedgerAnswer? {
        try database.readAtOnce { session throws(StorageFailure) in
            try session.answer(to: question, keys.digestKey)
        }
    }

    /// The outcome of a call with a recent answer, read beside the writer; `nil` where there is none.
    func storedAnswer(to call: AnsweredCall, at now: Timestamp) -> Step<GrantOutcome?, StorageFailure> {
        let asked = AskedCall(call, at: now, digestKey: keys.digestKey)
        let read = { @Sendable (session: any Session) throws(StorageFailure) -> GrantOutcome? in
            try asked.known(try session.run(asked.lookUp)).map(asked.outcome)
        }
        if let found = try? database.readAtOnce(read) { return .now(found) }
        return .later { [database] () async throws(StorageFailure) in try await database.answer(read) }
    }
}

// MARK: The chain

extension LedgerStore {
    /// Writes in the chain of this writer, which is begun where it is not there yet, and anew where another has ended it.
    private func writing<Value: Sendable>(
        locksWriter: Bool = false,
        _ body: @escaping @Sendable (any Session, _ writer: String) throws(StorageFailure) -> Written<Value>
    ) throws(StorageFailure) -> Value {
        var isAnnounced = false
        while true {
            do throws(StorageFailure) {
                if !chain.withLock(\.isBegun) { try begin() }
                let writer = chain.withLock(\.writer)
                let rows: Set<Int64> = locksWriter ? [LockRows.row(ofWriter: writer)] : []
                let written = try database.transaction(.ledger, locking: rows) {
                    [self] session throws(StorageFailure) in
                    // A new connection may lead to another server, which has to be compared with what was seen.
                    if try session.hold(writer) { try compare(session) }
                    return try body(session, writer)
                }
                chain.withLock { ($0.heads, $0.confirmed) = ([written.head], written.head) }
                seen.withLock { $0.record(written.head, of: writer) }
                wasFull.store(false, ordering: .relaxed)
                return written.value
            } catch {
                switch error.code {
                case .chainEnded: chain.withLock { $0 = Chain() }
                case .setBack:
                    if let fault = try announceLost() { throw fault }
                    // Where all is known already, once more.
                    guard !isAnnounced else { throw error }
                    isAnnounced = true
                case .diskFull:
                    wasFull.store(true, ordering: .relaxed)
                    throw error
                default: throw error
                }
            }
        }
    }

    private func begin() throws(StorageFailure) {
        let writer = chain.withLock(\.writer)
        let (keys, now) = (keys, now())
        let head = try database.transaction(.ledger, locking: [LockRows.row(ofWriter: writer)]) {
            [self] session throws(StorageFailure) in
            if try session.hold(writer) { try compare(session) }
            var signing = try LedgerSigning(session, keys: keys, now: now)
            try Self.checkLosses(try session.run(LedgerLoss.open))
            try signing.checkHeads()
            // It was begun already, where the connection was lost before the database had said so.
            guard !signing.isOpen(writer) else { return try signing.beginning(of: writer) }
            try signing.end(goneOf: try session.gone(of: signing.openWriters))
            let head = try signing.begin(writer)
            try signing.finish()
            return head
        }
        chain.withLock { ($0.isBegun, $0.heads) = (true, [head]) }
    }

    /// Compares the chains with what this process has seen of them, and looks for losses that were announced, and at the
    /// tables; gives the chains that others have left beyond the newest checkpoint.
    private func checkLedger() throws(StorageFailure) -> [String] {
        let check: @Sendable (any Session) throws(StorageFailure) -> [String] = {
            [self] session throws(StorageFailure) in
            if session.dialect == .sqlite { try session.checkSchema() }
            try Self.checkLosses(try session.run(LedgerLoss.open))
            return try compare(session)
        }
        do throws(StorageFailure) {
            // In SQLite another process that writes must not be waited for; in PostgreSQL that connection counts by which
            // signatures are recorded.
            return database.dialect == .sqlite ? try database.read(check) : try database.transaction(.ledger, check)
        } catch {
            guard error.code == .setBack else { throw error }
            if let fault = try announceLost() { throw fault }
            return []
        }
    }

    /// Compares the chains with what this process has seen of them.
    @discardableResult
    private func compare(_ session: any Session) throws(StorageFailure) -> [String] {
        let own = chain.withLock(\.writer)
        let found = try seen.withLock { $0 }.compare(with: session, own: own, keys: keys)
        guard found.lost.isEmpty else { throw StorageFailure(.setBack, "the database has lost records") }
        seen.withLock { $0.update(with: found) }
        return found.left
    }

    /// Announces what the database has lost; a chain of this process among it is ended.
    ///
    /// It gives the reason why nothing is signed until an operator knows of it; `nil` where all of it is known.
    private func announceLost() throws(StorageFailure) -> StorageFailure? {
        let own = chain.withLock(\.writer)
        let (seen, keys) = (seen.withLock { $0 }, keys)
        let found = try database.transaction(.ledger) { session throws(StorageFailure) in
            try seen.compare(with: session, own: own, keys: keys)
        }
        let fault = try announce(found.lost, own: own)
        self.seen.withLock { $0.update(with: found) }
        if found.lost[own] != nil { chain.withLock { $0 = Chain() } }
        return fault
    }

    /// The end of this writer's chain, which has to be where it left it: what is signed is what it remembers.
    ///
    /// The answer is to ``LedgerSQL/end``: no row where the chain has no record. It throws where the end is elsewhere, the
    /// chain has ended, or records are said to be lost.
    private func end(
        of writer: String,
        _ answer: Rows?,
        _ session: any Session
    ) throws(StorageFailure) -> LedgerChain.Head {
        let (heads, confirmed) = chain.withLock { ($0.heads, $0.confirmed) }
        var found = try answer?.head()
        if let answer, let found, heads.contains(found), try answer.integer(0, 2) == 0, try answer.integer(0, 3) == 0 {
            return found
        }
        let rows = try session.run([SQLCall(LedgerSQL.isEnded, .text(writer)), LedgerLoss.open])
        guard rows.count == 2 else { throw .malformed("number") }
        if found == nil, let chain = try session.chain(of: writer) {
            found =
                try session.statement(.retention, of: chain, by: keys)?.head
                ?? LedgerChain.Head(number: 0, hash: chain.beginning)
        }
        if let confirmed, confirmed.number > 0 {
            guard let found, found.number > confirmed.number || found == confirmed else {
                throw StorageFailure(.setBack, "record \(confirmed.number) is not there any more")
            }
        }
        // After the chain's own, which nobody else can tell.
        try Self.checkLosses(rows[1])
        guard rows[0].count == 0, let found else {
            throw StorageFailure(.chainEnded, "the chain was ended by another, or is gone with nothing in it")
        }
        guard heads.contains(found) else {
            throw LedgerSigning.changed("record \(found.number) of chain \(writer) is not by its writer")
        }
        return found
    }
}

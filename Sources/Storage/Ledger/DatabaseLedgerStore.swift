import Offers
import Synchronization

/// The ledger in a database, which several services may share: each has a chain of its own, and limits hold for all of them
/// together.
final class DatabaseLedgerStore: LedgerStore {
    private struct Chain {
        /// Its writer.
        var writer = LedgerWriterName.random()
        /// Whether it was begun.
        var isBegun = false
        /// How far it is; `nil` when that has to be read, as before the first commit and after a failed one.
        var head: LedgerChain.Head?
        /// The last record that was confirmed to be on durable storage, by whichever server; `nil` before the first.
        var confirmed: LedgerChain.Head?
        /// The number of the last record that a checkpoint covers.
        var covered: Int64 = 0
        /// When it was last looked for chains whose writers are gone.
        var lastLook: ContinuousClock.Instant?
    }

    /// The result of a commit.
    private struct Written: Sendable {
        var outcomes: [[GrantOutcome]]
        var head: LedgerChain.Head
    }

    /// How much time passes between two looks for chains whose writers are gone.
    private static let pause = Duration.seconds(60)

    let database: any SQLDatabase
    let keys: LedgerKeys
    let retentionDays: Int?
    let now: @Sendable () -> Timestamp
    /// The locks that other transactions keep, when that was looked for last.
    let kept = Mutex<Set<Int64>>([])
    /// Whether the database's disk was full the last time.
    private let wasFull = Atomic(false)
    private let chain = Mutex(Chain())
    /// How far old presentations were looked for, where no index leads to them.
    let presentationLook = Mutex(PresentationLook())

    /// Begins a chain of its own with the first record.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - keys: What digests and statements are made with: the same for all who share the database.
    ///   - retentionDays: For how many days records are kept; `nil` for ever.
    ///   - now: The server's clock.
    init(
        _ database: any SQLDatabase,
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
        let batch = LedgerBatch(entries, digestKey: keys.digestKey)
        // SQLite has one writer at a time anyway.
        let locks = database.dialect == .sqlite ? [] : batch.locks
        let written = try writing(locking: locks) {
            [keys] session, writer, known, confirmed throws(StorageFailure) in
            let (counts, answers) = try session.counts(
                batch.counts,
                batch.subscriptions,
                batch.calls,
                with: Self.chainQuestions(writer, known)
            )
            guard isWanted() else { throw .abandoned }
            let head = try Self.head(answers, known, confirmed)
            var work = try LedgerWork(writer: writer, head: head, digestKey: keys.digestKey)
            let decision = batch.decide(by: counts, with: &work)
            try session.write(decision)
            // PostgreSQL gets what was written with the commit. Where somebody waits for a short time alone it gets it
            // before, as it may have to wait for a lock: after this nothing is taken back.
            if !batch.calls.isEmpty { _ = try session.run([]) }
            guard isWanted() else { throw .abandoned }
            return Written(outcomes: decision.outcomes, head: work.head)
        }
        return written.outcomes
    }

    func probe() throws(StorageFailure) {
        let (keys, now) = (keys, now())
        let fills = wasFull.load(ordering: .relaxed)
        _ = try writing(locking: []) { session, writer, known, confirmed throws(StorageFailure) in
            let (_, answers) = try session.counts([], [], with: Self.chainQuestions(writer, known))
            let head = try Self.head(answers, known, confirmed)
            if fills, session.dialect == .postgreSQL { _ = try session.run(PostgreSQLBatch.filling(writer)) }
            try session.write(LedgerBatch.Decision(), isProbe: true)
            var signing = try LedgerSigning(session, keys: keys, now: now)
            try signing.finish()
            return Written(outcomes: [], head: head)
        }
    }

    func writeCheckpoint() throws(StorageFailure) {
        let (writer, head, covered, lastLook) = chain.withLock { ($0.writer, $0.head, $0.covered, $0.lastLook) }
        let hasGrown = head.map { $0.number > covered } ?? false
        let looks = lastLook.map { $0.duration(to: .now) > Self.pause } ?? true
        guard hasGrown || looks else { return }
        let (keys, now) = (keys, now())
        let (open, losses) = try database.transaction(.ledger) { session throws(StorageFailure) in
            var signing = try LedgerSigning(session, keys: keys, now: now)
            try signing.readHeads()
            let gone = looks ? try session.gone(of: signing.openWriters.filter { $0 != writer }) : []
            if !gone.isEmpty { try signing.end(gone) }
            let losses = try session.run([LedgerLoss.open])
            guard hasGrown || !gone.isEmpty || !signing.isBegun else { return ([String: LedgerChain.Head](), losses) }
            return (try signing.finish(), losses)
        }
        chain.withLock { chain in
            if looks { chain.lastLook = .now }
            if let own = open[writer] { chain.covered = own.number }
            // The next commit asks, and is refused.
            if losses.first?.count ?? 0 > 0 { chain.head = nil }
        }
        for rows in losses { try Self.checkLosses(rows) }
    }

    func endChain() throws(StorageFailure) {
        let (writer, isBegun) = chain.withLock { ($0.writer, $0.isBegun) }
        guard isBegun else {
            // A service without records of its own may still have seen the chains of others for the first time.
            return try writeCheckpoint()
        }
        let (keys, now) = (keys, now())
        try database.transaction(.ledger) { session throws(StorageFailure) in
            var signing = try LedgerSigning(session, keys: keys, now: now)
            guard signing.isOpen(writer) else { return }
            try signing.readHeads()
            try signing.end([writer])
            try signing.finish()
        }
        chain.withLock { $0 = Chain() }
    }

    func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        let digestKey = keys.digestKey
        return try await database.answer { session throws(StorageFailure) in
            try session.answer(to: question, digestKey)
        }
    }

    func keptAnswer(to call: RetentionCallKey, at now: Timestamp) async throws(StorageFailure) -> [UInt8]? {
        let asked = LedgerBatch.AskedCall(call, at: now)
        return try await database.answer { session throws(StorageFailure) in
            try session.counts([], [], [asked]).0.answers[call]
        }
    }

    func answerAtOnce(to question: LedgerQuestion) throws(StorageFailure) -> LedgerAnswer? {
        try database.readAtOnce { session throws(StorageFailure) in
            try session.answer(to: question, keys.digestKey)
        }
    }
}

// MARK: The chain

extension DatabaseLedgerStore {
    /// Writes in the chain of this writer, which is begun where it is not there yet, and anew where another has ended it.
    private func writing(
        locking locks: Set<Int64>,
        _ body:
            @escaping @Sendable (
                any Session, _ writer: String, _ known: LedgerChain.Head?, _ confirmed: LedgerChain.Head?
            ) throws(StorageFailure) -> Written
    ) throws(StorageFailure) -> Written {
        while true {
            let isBegun = chain.withLock(\.isBegun)
            if !isBegun { try begin() }
            let (writer, known, confirmed) = chain.withLock { chain in
                // Read again unless this commit succeeds: then only the database knows.
                defer { chain.head = nil }
                return (chain.writer, chain.head, chain.confirmed)
            }
            do throws(StorageFailure) {
                // A chain is ended under its lock.
                let keys = locks.union([AdvisoryLocks.key(ofWriter: writer)])
                let written = try database.transaction(.ledger, locking: SQLLocks(keys: keys)) {
                    session throws(StorageFailure) in
                    // A new connection may lead to another server, which has to be asked how far the chain is.
                    let isNew = try session.hold(writer)
                    return try body(session, writer, isNew ? nil : known, confirmed)
                }
                chain.withLock { ($0.head, $0.confirmed) = (written.head, written.head) }
                wasFull.store(false, ordering: .relaxed)
                return written
            } catch {
                switch error.code {
                case .chainEnded: chain.withLock { $0 = Chain() }
                case .setBack:
                    guard let confirmed else { throw error }
                    let fault = try announceLoss(of: writer, after: confirmed)
                    chain.withLock { $0 = Chain() }
                    throw fault
                case .locked:
                    noteKept(locks)
                    throw error
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
        let locks = SQLLocks(keys: [AdvisoryLocks.key(ofWriter: writer)])
        let head = try database.transaction(.ledger, locking: locks) { session throws(StorageFailure) in
            _ = try session.hold(writer)
            var signing = try LedgerSigning(session, keys: keys, now: now)
            for rows in try session.run([LedgerLoss.open]) { try Self.checkLosses(rows) }
            // It was begun already, where the connection was lost before the database had said so.
            guard !signing.isOpen(writer) else { return LedgerChain.Head?.none }
            try signing.readHeads()
            try signing.end(try session.gone(of: signing.openWriters))
            let head = try signing.begin(writer)
            try signing.finish()
            return head
        }
        chain.withLock { chain in
            chain.isBegun = true
            chain.head = head
        }
    }

    /// Whether the chain was ended, and how far it is where that is not known.
    private static func chainQuestions(_ writer: String, _ known: LedgerChain.Head?) -> [SQLCall] {
        let ended = SQLCall(LedgerSQL.isEnded, .text(writer))
        guard known == nil else { return [ended] }
        return [
            ended, SQLCall(LedgerSQL.head, .text(writer)), SQLCall(LedgerSQL.chain, .text(writer)),
            SQLCall(LedgerSQL.stump, .text(writer)), LedgerLoss.open,
        ]
    }

    /// How far the chain is, by what was answered to ``chainQuestions(_:_:)``.
    private static func head(
        _ answers: [Rows],
        _ known: LedgerChain.Head?,
        _ confirmed: LedgerChain.Head?
    ) throws(StorageFailure) -> LedgerChain.Head {
        let ended = StorageFailure(.chainEnded, "the chain was ended by another")
        if let known {
            guard answers.first?.count == 0 else { throw ended }
            return known
        }
        guard answers.count == 5 else { throw .malformed("number") }
        var head = try answers[1].head()
        if head == nil { head = try answers[3].head() }
        if head == nil {
            head = try answers[2].chains().first.map { LedgerChain.Head(number: 0, hash: $0.beginning) }
        }
        if let confirmed, confirmed.number > 0 {
            guard let head, head.number > confirmed.number || head == confirmed else {
                throw StorageFailure(.setBack, "record \(confirmed.number) is not there any more")
            }
        }
        // After the chain's own, which nobody else can tell.
        try checkLosses(answers[4])
        guard answers[0].count == 0 else { throw ended }
        guard let head else { throw StorageFailure(.malformed, "the beginning of the ledger's chain is missing") }
        return head
    }
}

import Offers

/// A piece of work for the writer of held state.
struct StateWork: Sendable {
    /// The notification that the observation is from; `nil` for evidence.
    let notification: NotificationRecord?
    let observation: Book
    /// The generation of held state then; `nil` where that is not known, and for notifications.
    ///
    /// Evidence leaves nothing behind once somebody was forgotten after it, maybe its customer: it is sent again.
    /// Notifications are not.
    var generation: Int64?

    /// Whether it may still be written: nobody was forgotten meanwhile, as far as it matters.
    func isDue(in current: Int64) -> Bool { generation.map { $0 == current } ?? true }
}

/// Works that are merged into what is held, within a transaction of the journal.
struct StateMerge: Sendable {
    fileprivate let works: [StateWork]
    fileprivate let identities: [SubscriptionIdentity]
    fileprivate let digestKey: DigestKey
    fileprivate let now: Timestamp
    /// Before it, redemptions are not kept; `nil` for all.
    fileprivate let oldest: Timestamp?
    /// Rows of ``LockRows`` for each work; none for SQLite.
    let locks: [Set<Int64>]
    /// Questions whose answers ``run(_:_:leavingOut:)`` needs: a transaction asks them together with its own.
    let questions: [SQLCall]

    /// Merges works but for some, and gives for each whether it was new; `nil` for one that was left out.
    func run(
        _ session: any Session,
        _ answers: ArraySlice<Rows>,
        leavingOut aside: Set<Int>
    ) throws(StorageFailure) -> [Bool?] {
        guard !works.isEmpty else { return [] }
        guard let generation = try answers.first?.generation(), let last = answers.last else {
            throw .malformed("generation")
        }
        let known: [SubscriptionIdentity: Chapter]
        do throws(StorageFailure) {
            known = try questions.count > 1 ? last.heldSubscriptions() : session.held(identities)
        } catch {
            // A stored row of one subscription keeps nobody else's from being written.
            guard error.code == .malformed else { throw error }
            throw StorageFailure(.refused, error.detail)
        }
        let rest = works.indices.filter { !aside.contains($0) }
        let mayRedeem = session.dialect == .sqlite || rest.contains { locks[$0].contains(LockRows.redemptions) }
        let news = try session.merge(
            rest.map { works[$0] },
            into: known,
            in: generation,
            mayRedeem: mayRedeem,
            at: now,
            since: oldest,
            digestKey
        )
        var all = [Bool?](repeating: nil, count: works.count)
        for (place, isNew) in zip(rest, news) { all[place] = isNew }
        return all
    }
}

/// Held state in a database, which several services may share.
///
/// Observations are merged under a lock for each subscription and account that they are about, so that nothing is lost when
/// two services see the same one at once. Its calls block, but for those that requests come with: the ``Journal`` makes them
/// from its thread.
struct StateStore: Sendable {
    let database: any SQLDatabase
    let digestKey: DigestKey
    /// How long redemptions are kept; `nil` for ever.
    let retentionDays: Int?
    let now: @Sendable () -> Timestamp
    private let lookups: CoalescedReads<StateQuestion, Book>

    /// Takes the key of the ledger's digests, by which redemptions find their signatures.
    init(
        _ database: any SQLDatabase,
        digestKey: DigestKey,
        retentionDays: Int? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.digestKey = digestKey
        self.retentionDays = retentionDays
        self.now = now
        lookups = CoalescedReads { (questions) throws(StorageFailure) in
            try await database.answer { session throws(StorageFailure) in try session.held(questions) }
        }
    }

    /// Answers questions at one moment on the thread that asks, which may be an event loop's; `nil` where they would have to
    /// be waited for.
    func heldAtOnce(_ questions: [StateQuestion]) throws(StorageFailure) -> [Book]? {
        try database.readAtOnce { session throws(StorageFailure) in try session.held(questions) }
    }

    /// Answers questions, in one question to the database; called from a request's task.
    func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        await lookups.answers(to: questions)
    }

    /// Prepares to merge works into what is held: in the order of works, `true` for what is new, `false` for a notification
    /// that was stored before, and for evidence that is not due any more (``StateWork/isDue(in:)``); these change nothing.
    ///
    /// Redemptions are written under one lock of all services: works without any have it only if that is asked for.
    func merge(of works: [StateWork], mayRedeem: Bool) -> StateMerge {
        let identities = Array(Set(works.flatMap { $0.observation.chapters.map(\.identity) }))
        let isShared = database.dialect == .postgreSQL
        let moment = now()
        let asked = isShared && !identities.isEmpty ? [StateSQL.asking([], identities)] : []
        return StateMerge(
            works: works,
            identities: identities,
            digestKey: digestKey,
            now: moment,
            oldest: retentionDays.map { moment.adding(days: -$0) },
            locks: works.map { isShared ? Self.locks(of: $0, mayRedeem: mayRedeem) : [] },
            questions: works.isEmpty ? [] : [SQLCall(StateSQL.generation)] + asked
        )
    }

    private static func locks(of work: StateWork, mayRedeem: Bool) -> Set<Int64> {
        var locks = Set(work.observation.chapters.map { lock(of: $0.identity) })
        if let account = work.observation.marks.first?.account {
            locks.insert(lock("account", "", account.bytes.map { String($0) }.joined(separator: ".")))
        }
        if let id = work.notification?.id { locks.insert(lock("notification", "", id)) }
        if mayRedeem || work.notification != nil || work.observation.chapters.contains(where: \.hasRedemptions) {
            locks.insert(LockRows.redemptions)
        }
        return locks
    }

    /// The generation of what is held: it changes whenever something is forgotten, by whichever process.
    func generation() throws(StorageFailure) -> Int64 {
        try database.read { session throws(StorageFailure) in try session.generation() }
    }

    /// Deletes the names of notifications that came before a moment: Apple no longer repeats them.
    func deleteNotifications(before limit: Timestamp) throws(StorageFailure) {
        try database.transaction(.repeatable) { session throws(StorageFailure) in
            try session.send(SQLCall(StateSQL.deleteNotifications, .time(limit)))
        }
    }

    /// How many subscriptions are held; in PostgreSQL beyond a million, about so many.
    ///
    /// An SQLite file is counted in steps, each a transaction of its own: a long one would keep the log from beginning anew.
    func count(inSteps length: Int = 100_000) throws(StorageFailure) -> Int {
        var (count, last) = (0, [SQLValue](repeating: .text(""), count: 3))
        while true {
            let step = try database.read { [last] (session) throws(StorageFailure) -> (count: Int, next: [SQLValue]?) in
                guard session.dialect == .sqlite else {
                    return (Int(try session.run(StateSQL.subscriptionEstimate).integer(0, 0)), nil)
                }
                let found = try session.run(SQLCall(StateSQL.subscription(atStep: length), last))
                guard !found.rows.isEmpty else {
                    return (Int(try session.run(SQLCall(StateSQL.subscriptionsAfter, last)).integer(0, 0)), nil)
                }
                return (length, try (0..<3).map { column throws(StorageFailure) in .text(try found.text(0, column)) })
            }
            count += step.count
            guard let next = step.next else { return count }
            last = next
        }
    }

    static func lock(of identity: SubscriptionIdentity) -> Int64 {
        lock("subscription", identity.bundleId, identity.originalTransactionId)
    }

    /// The row of ``LockRows`` of a subscription, an account or a notification.
    static func lock(_ kind: String, _ bundleId: String, _ name: String) -> Int64 {
        LockRows.row(of: Array("offer-signer state \(kind)\n\(bundleId)\n\(name)".utf8))
    }
}

extension Session {
    fileprivate func generation() throws(StorageFailure) -> Int64 { try run(StateSQL.generation).generation() }

    fileprivate func merge(
        _ works: [StateWork],
        into known: [SubscriptionIdentity: Chapter],
        in generation: Int64,
        mayRedeem: Bool,
        at now: Timestamp,
        since oldest: Timestamp?,
        _ digestKey: DigestKey
    ) throws(StorageFailure) -> [Bool] {
        var state = known
        var outcomes: [Bool] = []
        var marks: [MarkKey: Timestamp] = [:]
        var goneMarks: Set<MarkKey> = []
        for work in works {
            guard work.isDue(in: generation) else {
                outcomes.append(false)
                continue
            }
            if let notification = work.notification {
                // Whether it is new has to be known before what it says counts.
                let isNew = try run(notification.insertion).changes > 0
                outcomes.append(isNew)
                guard isNew || notification.countsAgain else { continue }
            } else {
                outcomes.append(true)
            }
            for seen in work.observation.chapters {
                let before = state[seen.identity]
                let held = before?.joining(seen) ?? seen
                state[seen.identity] = held
                for account in held.accountsLetGo(since: before) {
                    let key = MarkKey(
                        account: account,
                        bundleId: seen.identity.bundleId,
                        environment: seen.identity.environment
                    )
                    marks[key] = nil
                    goneMarks.insert(key)
                }
            }
            if let mark = work.observation.mark(beside: { state[$0] }) {
                let key = MarkKey(account: mark.account, bundleId: mark.bundleId, environment: mark.environment)
                marks[key] = max(marks[key] ?? mark.asOf, mark.asOf)
            }
        }
        let changed = state.values.filter { $0 != known[$0.identity] }
        try send(.subscriptions, changed.map(\.row))
        try send(
            .untied,
            changed.flatMap { held in
                held.accountsLetGo(since: known[held.identity]).map(held.identity.row)
            } + goneMarks.map(\.row)
        )
        try send(
            .ties,
            changed.flatMap { held in
                held.accounts.keys.filter { known[held.identity]?.accounts[$0] == nil }.map(held.identity.row)
            }
        )
        try send(.marks, marks.map { $0.row + [.integer($1.millisecondsSince1970)] })
        let redeemed = changed.filter { RedemptionMatch.isDue($0, since: known[$0.identity]) }
        guard redeemed.isEmpty || mayRedeem else {
            throw StorageFailure(.locked, "redemptions are written under a lock that was not asked for")
        }
        try putRedemptions(of: redeemed, at: now, since: oldest, digestKey)
        return outcomes
    }
}

extension Rows {
    fileprivate func generation() throws(StorageFailure) -> Int64 { count > 0 ? try integer(0, 0) : 0 }
}

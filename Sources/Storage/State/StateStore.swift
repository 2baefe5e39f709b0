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

/// Works that a transaction merges into what is held: one of their own, or the ledger's commit.
struct StateMerge: Sendable {
    /// Rows of ``LockRows``.
    let locks: Set<Int64>
    /// Questions whose answers ``run`` needs: a transaction asks them together with its own.
    let questions: [SQLCall]
    /// Gives for each work whether it was new.
    let run: @Sendable (any Session, _ answers: ArraySlice<Rows>) throws(StorageFailure) -> [Bool]
}

/// Held state in a database, which several services may share.
///
/// Observations are merged under a lock for each subscription and account that they are about, so that nothing is lost when
/// two services see the same one at once. Its calls block, but for those
/// that requests come with: ``DurableSubscriptionStates`` makes them from one thread of its own.
struct StateStore: Sendable {
    private let database: any SQLDatabase
    private let digestKey: DigestKey
    private let lookups: SharedReads<StateQuestion, Book>

    /// Takes the key of the ledger's digests, by which redemptions find their signatures.
    init(_ database: any SQLDatabase, digestKey: DigestKey) {
        self.database = database
        self.digestKey = digestKey
        lookups = SharedReads { (questions) throws(StorageFailure) in
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

    /// Merges works into what is held, in one transaction; when it returns, all is on durable storage.
    ///
    /// It gives for each whether it was new: `false` for a notification that was kept before, and for evidence that is not
    /// due any more (``StateWork/isDue(in:)``); these change nothing.
    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
        let merge = merge(of: works)
        return try database.transaction(.repeatable, locking: merge.locks) { session throws(StorageFailure) in
            try merge.run(session, try session.run(merge.questions)[...])
        }
    }

    func merge(of works: [StateWork]) -> StateMerge {
        let identities = Set(works.flatMap { $0.observation.chapters.map(\.identity) })
        let locks =
            identities.map(Self.lock)
            + works.compactMap(\.observation.marks.first?.account).map {
                Self.lock("account", "", $0.bytes.map { String($0) }.joined(separator: "."))
            }
            + works.compactMap { $0.notification?.id }.map { Self.lock("notification", "", $0) }
        let read = database.dialect == .postgreSQL && !identities.isEmpty
        let asked = read ? [StateSQL.asking([], Array(identities))] : []
        return StateMerge(locks: Set(locks), questions: [SQLCall(StateSQL.generation)] + asked) {
            [digestKey] session, answers throws(StorageFailure) in
            guard let generation = try answers.first?.generation(), let last = answers.last else {
                throw .malformed("generation")
            }
            let known = try read ? last.heldSubscriptions() : session.held(Array(identities))
            return try session.merge(works, into: known, in: generation, digestKey)
        }
    }

    /// Forgets a customer, begins a new generation, and gives the number of subscriptions that were forgotten.
    func forget(_ account: AccountDigest) throws(StorageFailure) -> Int {
        // The subscriptions to lock have to be known first; one that comes meanwhile counts as if it came afterwards.
        let identities = try database.read { session throws(StorageFailure) in
            let rows = try session.run(StateSQL.ofAccountEverywhere, .bytes(account.bytes))
            var identities: Set<SubscriptionIdentity> = []
            for row in rows.rows {
                if let identity = try rows.identity(row, from: 0) { identities.insert(identity) }
            }
            return identities
        }
        return try database.transaction(.repeatable, locking: Set(identities.map(Self.lock))) {
            session throws(StorageFailure) in
            try session.forget(account, identities)
        }
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

    private static func lock(of identity: SubscriptionIdentity) -> Int64 {
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
        try putRedemptions(of: changed.filter { RedemptionMatch.isDue($0, since: known[$0.identity]) }, digestKey)
        return outcomes
    }

    fileprivate func forget(
        _ account: AccountDigest,
        _ identities: Set<SubscriptionIdentity>
    ) throws(StorageFailure) -> Int {
        try send(SQLCall(StateSQL.nextGeneration))
        let known = try held(Array(identities))
        for identity in identities {
            if let rest = known[identity]?.forgetting(account) {
                try send(.subscriptions, [rest.row])
                continue
            }
            try send(.untied, (known[identity]?.accounts.keys).map { $0.map(identity.row) } ?? [])
            try send(identity.call(RedemptionSQL.delete))
            try send(identity.call(StateSQL.deleteSubscription))
        }
        try send(SQLCall(StateSQL.deleteAccount, .bytes(account.bytes)))
        return identities.count
    }
}

extension Rows {
    fileprivate func generation() throws(StorageFailure) -> Int64 { count > 0 ? try integer(0, 0) : 0 }
}

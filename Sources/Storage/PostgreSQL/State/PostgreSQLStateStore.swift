import Offers
import StrictJSON

/// Held state in a PostgreSQL database, which several services may share.
///
/// What is learnt is merged under a lock for each subscription and account that it is about, or under one for all of them
/// where they are many, so that nothing is lost when two services learn of the same one at once.
struct PostgreSQLStateStore: StateStore {
    private let database: PostgreSQLDatabase
    private let digestKey: DigestKey

    /// Uses a database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - digestKey: The key of the ledger's digests, by which redemptions find their signatures.
    init(_ database: PostgreSQLDatabase, digestKey: DigestKey) {
        self.database = database
        self.digestKey = digestKey
    }

    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState {
        try await database.work { connection throws(PostgreSQLError) in
            var identities = Set(question.subscriptions)
            var marks: [AccountHistoryMark] = []
            if let account = question.account {
                let answers = try connection.run([
                    PostgreSQLCall(StateSQL.ofAccount, .bytes(account.bytes), .text(question.bundleId)),
                    PostgreSQLCall(StateSQL.marks, .bytes(account.bytes), .text(question.bundleId)),
                ])
                identities.formUnion(try answers[0].identities(bundleId: question.bundleId))
                marks = try answers[1].marks(of: account, in: question.bundleId)
            }
            let held = try connection.held(Array(identities))
            return HeldState(subscriptions: Array(held.values), marks: marks)
        }
    }

    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
        try database.workWaiting { [digestKey] connection throws(PostgreSQLError) in
            try PostgreSQLConnection.retryingCollisions { () throws(PostgreSQLError) in
                try connection.learn(works, digestKey)
            }
        }
    }

    func forget(_ account: AccountDigest) throws(StorageFailure) -> Int {
        try database.workWaiting { connection throws(PostgreSQLError) in try connection.forget(account) }
    }

    func generation() throws(StorageFailure) -> Int64 {
        try database.workWaiting { connection throws(PostgreSQLError) in try connection.generation() }
    }

    func deleteNotifications(before limit: Timestamp) throws(StorageFailure) {
        try database.workWaiting { connection throws(PostgreSQLError) in
            _ = try connection.run(PostgreSQLCall(StateSQL.deleteNotifications, .integer(limit.millisecondsSince1970)))
        }
    }

    func count() throws(StorageFailure) -> Int {
        try database.workWaiting { connection throws(PostgreSQLError) in
            Int(try connection.run(PostgreSQLCall(StateSQL.subscriptionCount)).integer(0, 0))
        }
    }
}

extension PostgreSQLConnection {
    /// The generation of what is held.
    fileprivate func generation() throws(PostgreSQLError) -> Int64 {
        let rows = try run(PostgreSQLCall(StateSQL.generation))
        return rows.count > 0 ? try rows.integer(0, 0) : 0
    }

    /// The subscriptions that are held, of those asked about.
    fileprivate func held(
        _ identities: [SubscriptionIdentity]
    ) throws(PostgreSQLError) -> [SubscriptionIdentity: HeldSubscription] {
        let answers = try run(identities.map { $0.call(StateSQL.subscription) })
        var held: [SubscriptionIdentity: HeldSubscription] = [:]
        for (identity, rows) in zip(identities, answers) where rows.count > 0 {
            let body = try rows.text(0, 0)
            do {
                held[identity] = try HeldSubscription(identity, json: Array(body.utf8))
            } catch {
                throw PostgreSQLError(.unexpectedAnswer, "the state of a subscription cannot be read: \(error.detail)")
            }
        }
        return held
    }

    /// Merges what is learnt into what is held, in one transaction.
    fileprivate func learn(_ works: [StateWork], _ digestKey: DigestKey) throws(PostgreSQLError) -> [Bool] {
        let identities = Set(works.flatMap { $0.lesson.subscriptions.map(\.identity) })
        let accounts = works.compactMap(\.lesson.mark?.account)
        let names = works.compactMap { $0.notification?.id }
        let keys =
            identities.map { Self.lockKey("subscription", $0.bundleId, $0.originalTransactionId) }
            + accounts.map { Self.lockKey("account", "", $0.bytes.map { String($0) }.joined(separator: ".")) }
            + names.map { Self.lockKey("notification", "", $0) }
        return try transaction(locking: Set(keys)) { _ throws(PostgreSQLError) in
            let generation = try generation()
            let known = try held(Array(identities))
            var state = known
            var outcomes: [Bool] = []
            var changes: [PostgreSQLCall] = []
            for work in works {
                guard work.isDue(in: generation) else {
                    outcomes.append(false)
                    continue
                }
                if let notification = work.notification {
                    // Whether it is new has to be known before its lesson is learnt.
                    let isNew = try run(notification.insertion).changes > 0
                    outcomes.append(isNew)
                    guard isNew else { continue }
                } else {
                    outcomes.append(true)
                }
                for learnt in work.lesson.subscriptions {
                    let before = state[learnt.identity]
                    let held = before?.merging(learnt) ?? learnt
                    state[learnt.identity] = held
                    changes += held.accountsLetGo(since: before).map(learnt.identity.deletionOfMark)
                }
                if let mark = work.lesson.mark, let put = try put(mark) { changes.append(put) }
            }
            for (identity, held) in state where held != known[identity] {
                changes += held.changes(since: known[identity])
            }
            try putRedemptions(
                of: state.values.filter { RedemptionMatch.isDue($0, since: known[$0.identity]) },
                digestKey
            )
            return (outcomes, changes)
        }
    }

    /// What keeps a mark, where it counts beside what is held.
    private func put(_ mark: AccountHistoryMark) throws(PostgreSQLError) -> PostgreSQLCall? {
        let question = PostgreSQLCall(StateSQL.marks, .bytes(mark.account.bytes), .text(mark.bundleId))
        let others = try run(question).marks(of: mark.account, in: mark.bundleId)
        guard let counts = mark.put(into: others).first(where: { $0.environment == mark.environment }) else {
            return nil
        }
        return PostgreSQLCall(
            StateSQL.putMark,
            .bytes(mark.account.bytes),
            .text(mark.bundleId),
            .text(mark.environment.rawValue),
            .integer(counts.told.asOf.millisecondsSince1970),
            .integer(Int64(counts.told.source.rawValue))
        )
    }

    /// Forgets a customer, in one transaction.
    fileprivate func forget(_ account: AccountDigest) throws(PostgreSQLError) -> Int {
        let everywhere = PostgreSQLCall(StateSQL.ofAccountEverywhere, .bytes(account.bytes))
        // Which subscriptions to lock has to be known first; one that comes meanwhile is as if it came afterwards.
        let identities = Set(try run(everywhere).identities())
        let keys = identities.map { Self.lockKey("subscription", $0.bundleId, $0.originalTransactionId) }
        return try transaction(locking: Set(keys)) { _ throws(PostgreSQLError) in
            var changes = [
                PostgreSQLCall(StateSQL.nextGeneration),
                PostgreSQLCall(StateSQL.deleteMarks, .bytes(account.bytes)),
            ]
            let known = try held(Array(identities))
            for identity in identities {
                if let rest = known[identity]?.forgetting(account) {
                    changes += [rest.insertion, identity.call(StateSQL.deleteAccount, account)]
                    continue
                }
                let others = try run(identity.call(StateSQL.accountsOf))
                for row in others.rows {
                    changes.append(identity.call(StateSQL.deleteAccount, AccountDigest(try others.bytes(row, 0))))
                }
                changes += [identity.call(RedemptionSQL.delete), identity.call(StateSQL.deleteSubscription)]
            }
            return (identities.count, changes)
        }
    }

    /// How many locks of their own a transaction takes at the most: the server's are for everybody who uses it.
    private static let mostLocks = 1024

    /// Runs a transaction under a lock for each of what it is about, or, where those are too many for the server, under one
    /// that nobody else can hold beside any of them.
    private func transaction<Value>(
        locking keys: Set<Int64>,
        _ body: ([PostgreSQLRows]) throws(PostgreSQLError) -> (Value, [PostgreSQLCall])
    ) throws(PostgreSQLError) -> Value {
        let all = Self.lockKey("all", "", "")
        if keys.count <= Self.mostLocks {
            do throws(PostgreSQLError) {
                return try transaction(AdvisoryLocks.takeUntilCommit(keys, beside: all), body)
            } catch {
                guard error.code == .refused(.outOfMemory) else { throw error }
            }
        }
        return try transaction([AdvisoryLocks.takeUntilCommit([all])], body)
    }

    /// The key of the lock of a subscription, an account or a notification.
    static func lockKey(_ kind: String, _ bundleId: String, _ name: String) -> Int64 {
        AdvisoryLocks.key(Array("offer-signer state \(kind)\n\(bundleId)\n\(name)".utf8))
    }
}

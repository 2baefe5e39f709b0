import Offers
import StrictJSON

/// Held state in a database, which several services may share.
///
/// What is learnt is merged under a lock for each subscription and account that it is about, or under one for all of them
/// where they are many, so that nothing is lost when two services learn of the same one at once.
struct DatabaseStateStore: StateStore {
    private let database: any SQLDatabase
    private let digestKey: DigestKey

    /// Uses a database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - digestKey: The key of the ledger's digests, by which redemptions find their signatures.
    init(_ database: any SQLDatabase, digestKey: DigestKey) {
        self.database = database
        self.digestKey = digestKey
    }

    func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState {
        try await database.answer { session throws(StorageFailure) in
            var identities = Set(question.subscriptions)
            var marks: [AccountHistoryMark] = []
            if let account = question.account {
                let answers = try session.run([
                    SQLCall(StateSQL.ofAccount, .bytes(account.bytes), .text(question.bundleId)),
                    SQLCall(StateSQL.marks, .bytes(account.bytes), .text(question.bundleId)),
                ])
                identities.formUnion(try answers[0].identities(bundleId: question.bundleId))
                marks = try answers[1].marks(of: account, in: question.bundleId)
            }
            let held = try session.held(Array(identities))
            return HeldState(subscriptions: Array(held.values), marks: marks)
        }
    }

    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
        let identities = Set(works.flatMap { $0.lesson.subscriptions.map(\.identity) })
        let keys =
            identities.map(Self.lockKey)
            + works.compactMap(\.lesson.mark?.account).map {
                Self.lockKey("account", "", $0.bytes.map { String($0) }.joined(separator: "."))
            }
            + works.compactMap { $0.notification?.id }.map { Self.lockKey("notification", "", $0) }
        return try database.transaction(.repeatable, locking: Self.locks(Set(keys))) {
            [digestKey] session throws(StorageFailure) in
            try session.learn(works, Array(identities), digestKey)
        }
    }

    func forget(_ account: AccountDigest) throws(StorageFailure) -> Int {
        // Which subscriptions to lock has to be known first; one that comes meanwhile is as if it came afterwards.
        let identities = try database.read { session throws(StorageFailure) in
            Set(try session.run(StateSQL.ofAccountEverywhere, .bytes(account.bytes)).identities())
        }
        let locks = Self.locks(Set(identities.map(Self.lockKey)))
        return try database.transaction(.repeatable, locking: locks) { session throws(StorageFailure) in
            try session.forget(account, identities)
        }
    }

    func generation() throws(StorageFailure) -> Int64 {
        try database.read { session throws(StorageFailure) in try session.generation() }
    }

    func deleteNotifications(before limit: Timestamp) throws(StorageFailure) {
        try database.transaction(.repeatable) { session throws(StorageFailure) in
            try session.send(SQLCall(StateSQL.deleteNotifications, .integer(limit.millisecondsSince1970)))
        }
    }

    func count() throws(StorageFailure) -> Int {
        try database.read { session throws(StorageFailure) in
            Int(try session.run(StateSQL.subscriptionCount).integer(0, 0))
        }
    }

    private static func locks(_ keys: Set<Int64>) -> SQLLocks { SQLLocks(keys: keys, all: lockKey("all", "", "")) }

    private static func lockKey(of identity: SubscriptionIdentity) -> Int64 {
        lockKey("subscription", identity.bundleId, identity.originalTransactionId)
    }

    /// The key of the lock of a subscription, an account or a notification.
    static func lockKey(_ kind: String, _ bundleId: String, _ name: String) -> Int64 {
        AdvisoryLocks.key(Array("offer-signer state \(kind)\n\(bundleId)\n\(name)".utf8))
    }
}

extension Session {
    /// The generation of what is held.
    fileprivate func generation() throws(StorageFailure) -> Int64 {
        let rows = try run(StateSQL.generation)
        return rows.count > 0 ? try rows.integer(0, 0) : 0
    }

    /// The subscriptions that are held, of those asked about.
    fileprivate func held(
        _ identities: [SubscriptionIdentity]
    ) throws(StorageFailure) -> [SubscriptionIdentity: HeldSubscription] {
        let answers = try run(identities.map { $0.call(StateSQL.subscription) })
        var held: [SubscriptionIdentity: HeldSubscription] = [:]
        for (identity, rows) in zip(identities, answers) where rows.count > 0 {
            let body = try rows.text(0, 0)
            do {
                held[identity] = try HeldSubscription(identity, json: Array(body.utf8))
            } catch {
                throw StorageFailure(.malformed, "the state of a subscription cannot be read: \(error.detail)")
            }
        }
        return held
    }

    /// Merges what is learnt into what is held, in one transaction.
    fileprivate func learn(
        _ works: [StateWork],
        _ identities: [SubscriptionIdentity],
        _ digestKey: DigestKey
    ) throws(StorageFailure) -> [Bool] {
        let generation = try generation()
        let known = try held(identities)
        var state = known
        var outcomes: [Bool] = []
        var changes: [SQLCall] = []
        for work in works {
            guard work.isDue(in: generation) else {
                outcomes.append(false)
                continue
            }
            if let notification = work.notification {
                // Whether it is new has to be known before its lesson is learnt.
                let isNew = try run([notification.insertion])[0].changes > 0
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
        for change in changes { try send(change) }
        return outcomes
    }

    /// What keeps a mark, where it counts beside what is held.
    private func put(_ mark: AccountHistoryMark) throws(StorageFailure) -> SQLCall? {
        let others = try run(StateSQL.marks, .bytes(mark.account.bytes), .text(mark.bundleId))
            .marks(of: mark.account, in: mark.bundleId)
        guard let counts = mark.put(into: others).first(where: { $0.environment == mark.environment }) else {
            return nil
        }
        return SQLCall(
            StateSQL.putMark,
            .bytes(mark.account.bytes),
            .text(mark.bundleId),
            .text(mark.environment.rawValue),
            .integer(counts.told.asOf.millisecondsSince1970),
            .integer(Int64(counts.told.source.rawValue))
        )
    }

    /// Forgets a customer, in one transaction.
    fileprivate func forget(
        _ account: AccountDigest,
        _ identities: Set<SubscriptionIdentity>
    ) throws(StorageFailure) -> Int {
        try send(SQLCall(StateSQL.nextGeneration))
        try send(SQLCall(StateSQL.deleteMarks, .bytes(account.bytes)))
        let known = try held(Array(identities))
        for identity in identities {
            if let rest = known[identity]?.forgetting(account) {
                try send(rest.insertion)
                try send(identity.call(StateSQL.deleteAccount, account))
                continue
            }
            for others in try run([identity.call(StateSQL.accountsOf)]) {
                for row in others.rows {
                    try send(identity.call(StateSQL.deleteAccount, AccountDigest(try others.bytes(row, 0))))
                }
            }
            try send(identity.call(RedemptionSQL.delete))
            try send(identity.call(StateSQL.deleteSubscription))
        }
        return identities.count
    }
}

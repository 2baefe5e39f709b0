import Offers

extension SubscriptionIdentity {
    var values: [SQLValue] { [.text(bundleId), .text(environment.rawValue), .text(originalTransactionId)] }

    /// A statement whose first parameters name the subscription.
    func call(_ sql: String, _ rest: [SQLValue] = []) -> SQLCall { SQLCall(sql, values + rest) }

    /// The row that ties it to an account.
    func row(of account: AccountDigest) -> [SQLValue] { [.bytes(account.bytes)] + values }
}

extension Chapter {
    var row: [SQLValue] { identity.values + [.bytes(bytes)] }
}

/// Whose mark it is, and of what.
struct MarkKey: Hashable {
    let account: AccountDigest
    let bundleId: String
    let environment: AppStoreEnvironment

    /// The row's key: that of a subscription without an identifier.
    var row: [SQLValue] { [.bytes(account.bytes), .text(bundleId), .text(environment.rawValue), .text("")] }
}

extension NotificationRecord {
    /// Notes that the notification came; where it came before, nothing changes.
    var insertion: SQLCall {
        SQLCall(
            StateSQL.putNotification,
            .text(id),
            .text(type),
            SQLValue(subtype),
            .text(bundleId),
            .text(environment.rawValue),
            .time(signedDate),
            .time(receivedAt)
        )
    }
}

extension Rows {
    /// A subscription, by app, environment and identifier in three columns; `nil` in an environment that nobody knows.
    func identity(_ row: Int, from column: Int) throws(StorageFailure) -> SubscriptionIdentity? {
        let bundleId = try text(row, column)
        let environment = AppStoreEnvironment(rawValue: try text(row, column + 1))
        let id = try text(row, column + 2)
        return environment.map {
            SubscriptionIdentity(bundleId: bundleId, environment: $0, originalTransactionId: id)
        }
    }
}

// MARK: Reading

struct AccountKey: Hashable {
    let account: AccountDigest
    let bundleId: String
}

/// The rows of an account: the subscriptions that are tied to it, and its marks.
struct AccountRows {
    var subscriptions: [SubscriptionIdentity] = []
    var marks: [AccountHistoryMark] = []
}

extension Session {
    /// Answers questions that are asked together, in their order.
    func held(_ questions: [StateQuestion]) throws(StorageFailure) -> [Book] {
        switch dialect {
        case .sqlite:
            return try questions.map { question throws(StorageFailure) in try held(question) }
        case .postgreSQL: return try together(questions)
        }
    }

    /// The subscriptions that are held, of those asked about (each once).
    func held(
        _ identities: [SubscriptionIdentity]
    ) throws(StorageFailure) -> [SubscriptionIdentity: Chapter] {
        guard !identities.isEmpty else { return [:] }
        guard dialect == .sqlite else { return try run(StateSQL.asking([], identities)).heldSubscriptions() }
        var held: [SubscriptionIdentity: Chapter] = [:]
        for identity in identities { held[identity] = try subscription(identity) }
        return held
    }

    private func held(_ question: StateQuestion) throws(StorageFailure) -> Book {
        var (own, held) = (AccountRows(), [Chapter]())
        if let key = question.accountKey {
            let rows = try run(StateSQL.ofAccount, .bytes(key.account.bytes), .text(key.bundleId))
            for row in rows.rows {
                let environment = AppStoreEnvironment(rawValue: try rows.text(row, 0))
                try own.append(key, environment, try rows.text(row, 1), try rows.optionalInteger(row, 2))
                guard environment != nil, let body = try rows.optionalBytes(row, 3) else { continue }
                if let identity = own.subscriptions.last { held.append(try Chapter(identity, bytes: body)) }
            }
        }
        for identity in question.subscriptions where !own.subscriptions.contains(identity) {
            if let one = try subscription(identity) { held.append(one) }
        }
        var known: Set<SubscriptionIdentity> = []
        for _ in 0..<Chapter.mostLinked {
            let missing = held.linked(beyond: known.union(held.map(\.identity)))
            guard !missing.isEmpty else { break }
            known.formUnion(missing)
            for identity in missing { if let one = try subscription(identity) { held.append(one) } }
        }
        return Book(chapters: held, marks: own.marks)
    }

    private func subscription(_ identity: SubscriptionIdentity) throws(StorageFailure) -> Chapter? {
        let rows = try run(identity.call(StateSQL.subscription))
        return rows.count > 0 ? try Chapter(identity, bytes: try rows.bytes(0, 0)) : nil
    }

    private func together(_ questions: [StateQuestion]) throws(StorageFailure) -> [Book] {
        let keys = Set(questions.compactMap(\.accountKey))
        let call = StateSQL.asking(Array(keys), Array(Set(questions.flatMap(\.subscriptions))))
        var (accounts, subscriptions) = try run(call).held()
        var known = Set(subscriptions.keys)
        for _ in 0..<Chapter.mostLinked {
            let missing = Array(subscriptions.values).linked(beyond: known)
            guard !missing.isEmpty else { break }
            known.formUnion(missing)
            let more = try run(StateSQL.asking([], Array(missing))).held().subscriptions
            subscriptions.merge(more) { one, _ in one }
        }
        return questions.map { question in
            let own = question.accountKey.flatMap { accounts[$0] } ?? AccountRows()
            var held = question.identities(with: own).compactMap { subscriptions[$0] }
            while true {
                let more = held.linked(beyond: Set(held.map(\.identity))).compactMap { subscriptions[$0] }
                guard !more.isEmpty else { break }
                held += more
            }
            return Book(chapters: held, marks: own.marks)
        }
    }
}

extension [Chapter] {
    /// The identities that lead on from these and are not known yet.
    func linked(beyond known: @autoclosure () -> Set<SubscriptionIdentity>) -> Set<SubscriptionIdentity> {
        // Mostly there are none.
        guard contains(where: { !$0.linked.isEmpty }) else { return [] }
        return Set(lazy.flatMap(\.identities)).subtracting(known())
    }
}

extension StateSQL {
    /// Asks for many accounts and subscriptions in one statement.
    static func asking(_ keys: [AccountKey], _ identities: [SubscriptionIdentity]) -> SQLCall {
        SQLCall(
            many,
            .byteStrings(keys.map(\.account.bytes)),
            .texts(keys.map(\.bundleId)),
            .texts(identities.map(\.bundleId)),
            .texts(identities.map(\.environment.rawValue)),
            .texts(identities.map(\.originalTransactionId))
        )
    }
}

extension Rows {
    /// The held subscriptions among those that ``StateSQL/asking(_:_:)`` names.
    func heldSubscriptions() throws(StorageFailure) -> [SubscriptionIdentity: Chapter] {
        try held().subscriptions
    }

    /// The rows of the accounts, and what is held of the subscriptions.
    fileprivate func held() throws(StorageFailure) -> (
        accounts: [AccountKey: AccountRows], subscriptions: [SubscriptionIdentity: Chapter]
    ) {
        var accounts: [AccountKey: AccountRows] = [:]
        var subscriptions: [SubscriptionIdentity: Chapter] = [:]
        for row in rows {
            if let account = try optionalBytes(row, 0) {
                let key = AccountKey(account: AccountDigest(account), bundleId: try text(row, 1))
                let environment = AppStoreEnvironment(rawValue: try text(row, 2))
                let (id, asOf) = (try text(row, 3), try optionalInteger(row, 4))
                try accounts[key, default: AccountRows()].append(key, environment, id, asOf)
            } else if let identity = try identity(row, from: 1) {
                subscriptions[identity] = try Chapter(identity, bytes: try bytes(row, 5))
            }
        }
        return (accounts, subscriptions)
    }
}

extension AccountRows {
    /// Appends a row; one of an environment that nobody knows is left out.
    fileprivate mutating func append(
        _ key: AccountKey,
        _ environment: AppStoreEnvironment?,
        _ id: String,
        _ asOf: Int64?
    ) throws(StorageFailure) {
        guard let environment else { return }
        if let asOf {
            marks.append(
                AccountHistoryMark(
                    account: key.account,
                    bundleId: key.bundleId,
                    environment: environment,
                    asOf: Timestamp(millisecondsSince1970: asOf)
                )
            )
        } else {
            subscriptions.append(
                SubscriptionIdentity(bundleId: key.bundleId, environment: environment, originalTransactionId: id)
            )
        }
    }
}

extension StateQuestion {
    /// The account within its app; `nil` for none.
    var accountKey: AccountKey? { account.map { AccountKey(account: $0, bundleId: bundleId) } }

    /// The subscriptions that the question is about, each once.
    fileprivate func identities(with own: AccountRows) -> [SubscriptionIdentity] {
        if subscriptions.isEmpty { return own.subscriptions }
        return subscriptions + own.subscriptions.filter { !subscriptions.contains($0) }
    }

    func adding(_ others: Set<SubscriptionIdentity>) -> StateQuestion {
        guard !others.isEmpty else { return self }
        return StateQuestion(
            bundleId: bundleId,
            account: account,
            subscriptions: subscriptions + others.subtracting(subscriptions)
        )
    }
}

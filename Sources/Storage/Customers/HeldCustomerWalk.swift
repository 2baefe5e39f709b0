import Dispatch
package import Offers

/// A page of customers with held state.
package struct HeldCustomers: Sendable {
    /// How many subscriptions were looked at for them.
    package let subscriptions: Int
    /// Whether these subscriptions are looked at for the second time: who has no account, and what has changed.
    package let isLastPass: Bool
    fileprivate let read: @Sendable () throws(StorageFailure) -> [HeldCustomer]

    /// Decodes the customers, on any thread: the walk itself is one thread's work.
    package func customers() throws(StorageFailure) -> [HeldCustomer] { try read() }
}

/// Walks through all customers with held state: pages, each of one moment and short, so that nobody waits.
///
/// First all subscriptions are counted, then accounts are read, and then the subscriptions that no account has; what has
/// changed since the first pass is counted in the last.
package struct HeldCustomerWalk: Sendable {
    private enum Phase {
        case accounts(after: AccountKey)
        case subscriptions(after: SubscriptionIdentity?)
        case done
    }

    /// How many rows, or accounts, one page has.
    private static let page = 1_000

    private let database: any SQLDatabase
    private let digestKey: DigestKey
    private var phase = Phase.accounts(after: AccountKey(account: AccountDigest([]), bundleId: ""))
    /// The hashes of the rows that were there at the beginning, by those of their keys.
    private var known: [Int: Int32] = [:]
    /// How many subscriptions there are.
    package let total: Int
    /// How many subscriptions came, went or changed since the beginning; at the end.
    package private(set) var changed = 0

    /// Counts all subscriptions; `progress` gets how many.
    package init(
        of database: any SQLDatabase,
        digestKey: DigestKey,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws(StorageFailure) {
        self.database = database
        self.digestKey = digestKey
        known = try await DispatchQueue.global(qos: .userInitiated).perform { () throws(StorageFailure) in
            var known: [Int: Int32] = [:]
            var place: SubscriptionIdentity?
            while true {
                let rows = try Self.rows(after: place, in: database)
                for row in rows.rows { known[try rows.keyHash(row)] = try rows.bodyHash(row) }
                progress(known.count)
                guard rows.count == Self.page, let last = try rows.identity(rows.count - 1, from: 0) else {
                    return known
                }
                place = last
            }
        }
        total = known.count
    }

    /// The next customers; `nil` at the end.
    package mutating func next() async throws(StorageFailure) -> HeldCustomers? {
        switch phase {
        case .accounts(let key): return try await accounts(after: key)
        case .subscriptions(let place): return try await subscriptions(after: place)
        case .done: return nil
        }
    }

    /// The answers to questions about customers, of one moment.
    package static func answers(
        to questions: [LedgerQuestion],
        in database: any SQLDatabase,
        _ digestKey: DigestKey
    ) async throws(StorageFailure) -> [LedgerAnswer] {
        guard !questions.isEmpty else { return [] }
        return try await DispatchQueue.global(qos: .userInitiated).perform { () throws(StorageFailure) in
            try database.read { session throws(StorageFailure) in try session.answers(to: questions, digestKey) }
        }
    }

    private mutating func accounts(after key: AccountKey) async throws(StorageFailure) -> HeldCustomers {
        let read = try await DispatchQueue.global(qos: .userInitiated).perform { [database] () throws(StorageFailure) in
            try database.read { session throws(StorageFailure) in
                let rows = try session.run(StateSQL.accounts(Self.page), .bytes(key.account.bytes), .text(key.bundleId))
                let questions = try rows.rows.map { row throws(StorageFailure) in
                    StateQuestion(bundleId: try rows.text(row, 1), account: AccountDigest(try rows.bytes(row, 0)))
                }
                return (questions, try session.held(questions))
            }
        }
        guard let last = read.0.last?.accountKey else {
            phase = .subscriptions(after: nil)
            return HeldCustomers(subscriptions: 0, isLastPass: false) { [] }
        }
        phase = .accounts(after: last)
        var count = 0
        let customers = zip(read.0, read.1).compactMap { question, held -> HeldCustomer? in
            var held = held
            count += held.chapters.count
            held.leaveOut(beyond: question)
            guard !held.marks.isEmpty || held.chapters.contains(where: \.hasState) else { return nil }
            return HeldCustomer(
                bundleId: question.bundleId,
                account: question.account,
                originalTransactionId: nil,
                held: held
            )
        }
        return HeldCustomers(subscriptions: count, isLastPass: false) { customers }
    }

    private mutating func subscriptions(after place: SubscriptionIdentity?) async throws(StorageFailure)
        -> HeldCustomers
    {
        let rows = try await DispatchQueue.global(qos: .userInitiated).perform { [database] () throws(StorageFailure) in
            try Self.rows(after: place, in: database)
        }
        for row in rows.rows {
            let key = try rows.keyHash(row)
            if known.removeValue(forKey: key) != (try rows.bodyHash(row)) { changed += 1 }
        }
        if rows.count == Self.page, let last = try rows.identity(rows.count - 1, from: 0) {
            phase = .subscriptions(after: last)
        } else {
            phase = .done
            // Those that are gone.
            changed += known.count
            known = [:]
        }
        return HeldCustomers(subscriptions: rows.count, isLastPass: true) { [database] () throws(StorageFailure) in
            try Self.lone(rows, in: database)
        }
    }

    private static func rows(
        after place: SubscriptionIdentity?,
        in database: any SQLDatabase
    ) throws(StorageFailure) -> Rows {
        try database.read { session throws(StorageFailure) in try session.run(StateSQL.page(page, after: place)) }
    }

    /// The subscriptions that no account has, each once, whichever of its identifiers comes first.
    private static func lone(_ rows: Rows, in database: any SQLDatabase) throws(StorageFailure) -> [HeldCustomer] {
        var customers: [HeldCustomer] = []
        for chapter in try rows.chapters() {
            guard chapter.accounts.isEmpty, chapter.hasState else { continue }
            let identity = chapter.identity
            var held = Book(chapters: [chapter])
            if !chapter.linked.isEmpty {
                let question = StateQuestion(bundleId: identity.bundleId, account: nil, subscriptions: [identity])
                held =
                    try database.read { session throws(StorageFailure) in try session.held([question]) }.first ?? held
                guard held.chapters.allSatisfy({ $0.accounts.isEmpty }),
                    !held.chapters.contains(where: { $0.hasState && $0.identity.isBefore(identity) })
                else { continue }
            }
            customers.append(
                HeldCustomer(
                    bundleId: identity.bundleId,
                    account: nil,
                    originalTransactionId: identity.originalTransactionId,
                    held: held
                )
            )
        }
        return customers
    }
}

extension StateSQL {
    /// The next accounts after one, each with its app.
    static func accounts(_ length: Int) -> String {
        "SELECT DISTINCT account, bundle_id FROM held_accounts WHERE (account, bundle_id) > ($1, $2) "
            + "ORDER BY account, bundle_id LIMIT \(length)"
    }
}

extension Rows {
    /// Of a row of ``StateSQL/page(_:after:)``.
    fileprivate func keyHash(_ row: Int) throws(StorageFailure) -> Int {
        var hasher = Hasher()
        for column in 0..<3 { hasher.combine(try text(row, column)) }
        return hasher.finalize()
    }

    fileprivate func bodyHash(_ row: Int) throws(StorageFailure) -> Int32 {
        var hasher = Hasher()
        try bytes(row, 3).withUnsafeBytes { hasher.combine(bytes: $0) }
        return Int32(truncatingIfNeeded: hasher.finalize())
    }
}

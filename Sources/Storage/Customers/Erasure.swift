package import Offers

/// A deletion of what was held of a customer, as it stays on record.
package struct Erasure: Equatable, Sendable {
    package let bundleId: String
    /// The ledger's digest of the customer.
    package let customer: AccountDigest
    package let time: Timestamp
    /// How many rows were deleted or emptied of the customer.
    package let rows: Int
    /// How many subscriptions were among them; `nil` of an erasure on record.
    package var subscriptions: Int?
}

/// The SQL of erasures, plain for SQLite and PostgreSQL alike.
enum ErasureSQL {
    static let migration = Migration(
        "erasures",
        [
            """
            CREATE TABLE erasures (
                customer BYTEA NOT NULL,
                bundle_id TEXT NOT NULL,
                erased_at BIGINT NOT NULL,
                total BIGINT NOT NULL,
                PRIMARY KEY (customer, erased_at)
            )
            """
        ]
    )

    static let insert =
        "INSERT INTO erasures (customer, bundle_id, erased_at, total) VALUES ($1, $2, $3, $4) "
        + "ON CONFLICT (customer, erased_at) DO UPDATE SET total = erasures.total + excluded.total"

    static let of = "SELECT bundle_id, customer, erased_at, total FROM erasures WHERE customer = $1 ORDER BY erased_at"

    static let all = "SELECT bundle_id, customer, erased_at, total FROM erasures ORDER BY erased_at, customer"

    static let deleteOld = "DELETE FROM erasures WHERE erased_at < $1"

    /// The answers to Apple's calls about a subscription, without an index: only forgetting a customer asks.
    static let answersAbout =
        "SELECT request_id, bundle_id, environment, original_transaction_id FROM kept_answers "
        + "WHERE bundle_id = $1 AND original_transaction_id = $2"

    static let deletePresentationsOf =
        "DELETE FROM ledger_presentations WHERE bundle_id = $1 AND environment = $2 AND original_transaction_id = $3"

    static let deleteTies =
        "DELETE FROM held_accounts WHERE account = $1 AND bundle_id = $2 AND environment = $3 "
        + "AND original_transaction_id = $4"
}

extension Journal {
    /// Deletes what is held of a customer, with what is not written yet, and puts that on record; records of signatures
    /// stay.
    package func erase(_ customer: StoredCustomer) async throws(StorageFailure) -> Erasure {
        try await queue.perform { [writer] () throws(StorageFailure) in
            writer.writeRiders(isLast: true)
            defer { writer.held.noticeForgotten() }
            return try writer.held.store.erase(customer)
        }
    }
}

/// The rows to delete of a customer.
///
/// They are read beside the writer: that takes long in tables without an index for it.
private struct ErasedRows: Sendable {
    let identities: [SubscriptionIdentity]
    var calls: [SQLCall] = []

    init(of customer: StoredCustomer, in session: any Session) throws(StorageFailure) {
        let chapters = try session.book(of: customer).chapters
        identities = Array(Set(chapters.map(\.identity) + customer.namedIdentities))
        // Before the account was known, the customer was known by the subscription.
        var askers = Set(customer.digests)
        if let account = customer.account {
            let bought = chapters.filter { $0.accounts[account] == .bought }
            askers.formUnion(bought.map { customer.digest(of: $0.identity) })
        } else {
            askers.formUnion(identities.map(customer.digest(of:)))
            for chapter in chapters { askers.formUnion(chapter.accounts.keys) }
            for identity in identities { askers.formUnion(try session.accounts(presenting: identity)) }
        }
        for digest in askers {
            let answers = try session.run(LedgerSQL.answersOf, .bytes(digest.bytes))
            calls += try answers.calls(LedgerSQL.deleteAnswer, columns: 4)
        }
        for digest in customer.digests {
            let presented = try session.run(LedgerSQL.presentationsOf, .bytes(digest.bytes))
            calls += try presented.calls(LedgerSQL.deletePresentation, columns: 3, [.bytes(digest.bytes)])
            calls.append(SQLCall(HoldoutSQL.forget, .bytes(digest.bytes)))
        }
        for identity in identities {
            let id = SQLValue.text(identity.originalTransactionId)
            let answers = try session.run(ErasureSQL.answersAbout, .text(identity.bundleId), id)
            calls += try answers.calls(LedgerSQL.deleteAnswer, columns: 4)
            calls.append(SQLCall(HoldoutSQL.forget, .bytes(customer.digest(of: identity).bytes)))
            guard customer.account == nil else { continue }
            let drawn = try session.run(identity.call(HoldoutSQL.ofSubscription))
            calls += try drawn.rows.map { row throws(StorageFailure) in
                SQLCall(HoldoutSQL.forgetName, .bytes(try drawn.bytes(row, 0)), .text(try drawn.text(row, 1)))
            }
            calls.append(identity.call(ErasureSQL.deletePresentationsOf))
            calls.append(identity.call(RedemptionSQL.delete))
        }
    }
}

extension StateStore {
    /// Deletes all of it in one transaction, and begins a new generation.
    func erase(_ customer: StoredCustomer) throws(StorageFailure) -> Erasure {
        // The subscriptions to lock have to be known first; one that comes meanwhile counts as if it came afterwards.
        let found = try database.read { session throws(StorageFailure) in try ErasedRows(of: customer, in: session) }
        let time = now()
        return try database.transaction(.repeatable, locking: Set(found.identities.map(Self.lock(of:)))) {
            session throws(StorageFailure) in
            let (rows, subscriptions) = try session.erase(customer, found)
            let erasure = Erasure(
                bundleId: customer.bundleId,
                customer: customer.customer,
                time: time,
                rows: rows,
                subscriptions: subscriptions
            )
            try session.send(
                SQLCall(
                    ErasureSQL.insert,
                    .bytes(erasure.customer.bytes),
                    .text(erasure.bundleId),
                    .time(time),
                    .integer(Int64(rows))
                )
            )
            return erasure
        }
    }
}

extension Session {
    fileprivate func erase(
        _ customer: StoredCustomer,
        _ found: ErasedRows
    ) throws(StorageFailure) -> (rows: Int, subscriptions: Int) {
        try run(StateSQL.nextGeneration)
        let chapters = try held(found.identities)
        var count = try run(found.calls).reduce(0) { $0 + $1.deleted }
        for identity in found.identities {
            guard let chapter = chapters[identity] else { continue }
            if let account = customer.account, let rest = chapter.forgetting(account) {
                count += 1
                try send(.subscriptions, [rest.row])
            } else {
                count += try delete(chapter)
            }
        }
        if let account = customer.account {
            count += try run(SQLCall(StateSQL.deleteAccount, .bytes(account.bytes))).changes
        }
        return (count, chapters.count)
    }

    /// Deletes what is held of a subscription, and gives the number of rows: its redemptions, its ties to accounts, and the
    /// marks of these accounts, of which it is no longer known that all their subscriptions are held.
    func delete(_ chapter: Chapter, withRedemptions: Bool = true) throws(StorageFailure) -> Int {
        let identity = chapter.identity
        var count = try run(identity.call(StateSQL.deleteSubscription)).changes
        if withRedemptions { count += try run(identity.call(RedemptionSQL.delete)).deleted }
        for account in chapter.accounts.keys {
            let mark = MarkKey(account: account, bundleId: identity.bundleId, environment: identity.environment)
            count += try run(SQLCall(ErasureSQL.deleteTies, identity.row(of: account))).changes
            count += try run(SQLCall(ErasureSQL.deleteTies, mark.row)).changes
        }
        return count
    }
}

extension SQLDatabase {
    /// The erasures on record, the oldest first.
    package func erasures() throws(StorageFailure) -> [Erasure] {
        try read { session throws(StorageFailure) in try session.run(ErasureSQL.all).erasures() }
    }
}

extension Rows {
    /// How many rows a deletion took; those that it gives back are counted by the rows.
    fileprivate var deleted: Int { max(changes, count) }

    /// A statement for each row, with its first columns as the first parameters.
    fileprivate func calls(
        _ sql: String,
        columns: Int,
        _ rest: [SQLValue] = []
    ) throws(StorageFailure) -> [SQLCall] {
        try rows.map { row throws(StorageFailure) in
            SQLCall(sql, try (0..<columns).map { column throws(StorageFailure) in .text(try text(row, column)) } + rest)
        }
    }

    func erasures() throws(StorageFailure) -> [Erasure] {
        try rows.map { row throws(StorageFailure) in
            Erasure(
                bundleId: try text(row, 0),
                customer: AccountDigest(try bytes(row, 1)),
                time: try time(row, 2),
                rows: Int(try integer(row, 3))
            )
        }
    }
}

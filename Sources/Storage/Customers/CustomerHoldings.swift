package import Offers

/// All that is stored of one customer.
package struct CustomerHoldings: Sendable {
    package struct Signature: Sendable {
        package let record: LedgerRecord
        /// `nil` where no redemption of it is known.
        package let redeemedAt: Timestamp?
    }

    package struct Holdout: Sendable {
        package let name: String
        package let environment: String
        package let originalTransactionId: String
        package let isHeldOut: Bool
        package let since: Timestamp
    }

    /// The oldest first, as all lists here.
    package fileprivate(set) var signatures: [Signature] = []
    package fileprivate(set) var book = Book()
    package fileprivate(set) var redemptions: [FeedEntry] = []
    package fileprivate(set) var holdouts: [Holdout] = []
    package fileprivate(set) var erasures: [Erasure] = []

    /// Whether nothing is stored of the customer, an erasure aside.
    package var isEmpty: Bool {
        signatures.isEmpty && book.chapters.isEmpty && redemptions.isEmpty && holdouts.isEmpty
    }
}

/// Reads by indexes alone: the ledger may be as long as it likes.
extension SQLDatabase {
    package func holdings(of customer: StoredCustomer) throws(StorageFailure) -> CustomerHoldings {
        try read { session throws(StorageFailure) in try session.holdings(of: customer) }
    }
}

enum CustomerSQL {
    /// A customer's signatures, each with its redemption.
    static let signatures =
        "SELECT \(LedgerSQL.recordColumns), redeemed_at FROM (SELECT \(LedgerSQL.recordColumns) FROM ledger_records "
        + "WHERE customer = $1 AND bundle_id = $2) AS signed LEFT JOIN (SELECT signed_writer, signed_number, redeemed_at "
        + "FROM redemptions) AS used ON signed_writer = writer AND signed_number = number ORDER BY time, writer, number"

    static let holdouts =
        "SELECT name, environment, original_transaction_id, is_held_out, first_at FROM holdout_customers "
        + "WHERE customer = $1 AND bundle_id = $2 ORDER BY first_at, name"
}

extension Session {
    fileprivate func holdings(of customer: StoredCustomer) throws(StorageFailure) -> CustomerHoldings {
        var found = CustomerHoldings()
        found.book = try book(of: customer)
        let bundleId = SQLValue.text(customer.bundleId)
        let identities = found.book.chapters.map(\.identity) + customer.namedIdentities
        let ids = Set(identities.map(\.originalTransactionId))
        var known: Set<SignaturePlace> = []
        func addSignatures(of digest: AccountDigest, ofSubscriptions: Bool = false) throws(StorageFailure) {
            let rows = try run(CustomerSQL.signatures, .bytes(digest.bytes), bundleId)
            for (row, record) in zip(rows.rows, try rows.records(isNamed: true)) {
                if ofSubscriptions, !(record.originalTransactionId.map(ids.contains) ?? false) { continue }
                guard known.insert(SignaturePlace(writer: record.writer, number: record.number)).inserted else {
                    continue
                }
                let redeemed = try rows.optionalTime(row, 18)
                found.signatures.append(CustomerHoldings.Signature(record: record, redeemedAt: redeemed))
            }
        }
        for digest in digests(of: customer, found.book) { try addSignatures(of: digest) }
        if customer.account == nil {
            // A customer may have many accounts, of which a digest says only the first part: which, the subscription says.
            for identity in identities {
                for digest in try accounts(presenting: identity) {
                    try addSignatures(of: digest, ofSubscriptions: true)
                }
            }
        }
        found.signatures.sort { ($0.record.time, $0.record.number) < ($1.record.time, $1.record.number) }
        found.redemptions = try redemptions(of: Set(identities), known)
        for digest in Set(digests(of: customer, found.book)) {
            let rows = try run(CustomerSQL.holdouts, .bytes(digest.bytes), bundleId)
            for row in rows.rows { found.holdouts.append(try rows.holdout(row)) }
        }
        found.erasures = try run(ErasureSQL.of, .bytes(customer.customer.bytes)).erasures()
        return found
    }

    /// The digests of the accounts for which evidence of a subscription was presented.
    func accounts(presenting identity: SubscriptionIdentity) throws(StorageFailure) -> [AccountDigest] {
        let rows = try run(identity.call(RedemptionSQL.presentedFor))
        return try rows.rows.map { row throws(StorageFailure) in AccountDigest(try rows.bytes(row, 0)) }
    }

    /// The digests that the customer's rows may have: its own, those of its subscriptions without an account, and, of a
    /// subscription that is asked for, those of the accounts that have it.
    private func digests(of customer: StoredCustomer, _ book: Book) -> [AccountDigest] {
        var digests = Set(customer.digests)
        for chapter in book.chapters {
            if let account = customer.account {
                if chapter.accounts[account] == .bought { digests.insert(customer.digest(of: chapter.identity)) }
            } else {
                digests.insert(customer.digest(of: chapter.identity))
                digests.formUnion(chapter.accounts.keys)
            }
        }
        return Array(digests)
    }

    /// The redemptions by subscriptions, and by signatures.
    private func redemptions(
        of identities: Set<SubscriptionIdentity>,
        _ signatures: Set<SignaturePlace>
    ) throws(StorageFailure) -> [FeedEntry] {
        var found: [Int64: FeedEntry] = [:]
        let calls =
            identities.map { $0.call(RedemptionFeedSQL.ofSubscription) }
            + signatures.map { SQLCall(RedemptionFeedSQL.ofSignature, .text($0.writer), .integer($0.number)) }
        for rows in try run(calls) {
            for row in rows.rows {
                let entry = try rows.feedEntry(row)
                found[entry.position] = entry
            }
        }
        return found.values.sorted { $0.position < $1.position }
    }
}

private struct SignaturePlace: Hashable {
    let writer: String
    let number: Int64
}

extension Rows {
    fileprivate func holdout(_ row: Int) throws(StorageFailure) -> CustomerHoldings.Holdout {
        CustomerHoldings.Holdout(
            name: try text(row, 0),
            environment: try text(row, 1),
            originalTransactionId: try text(row, 2),
            isHeldOut: try integer(row, 3) == 1,
            since: try time(row, 4)
        )
    }
}

import Offers

/// Signed transactions and renewal infos, collected for a book.
struct SignedBook {
    private var transactions: [SignedTransaction] = []
    private var renewalInfos: [SignedRenewalInfo] = []
    /// What Apple says of subscriptions, by the identifiers of their first purchases.
    private var statuses: [String: SubscriptionStatus] = [:]
    var bundleId: String? { transactions.first?.bundleId }
    var environment: AppStoreEnvironment? { transactions.first?.environment }

    /// The periods of subscriptions that have not begun.
    func periods(ahead clock: Timestamp) -> [Transaction] {
        transactions.lazy.map(\.transaction).filter { $0.kind == .subscription && $0.isAhead(of: clock) }
    }

    mutating func add(_ signed: SignedTransaction) throws(SignedDataFault) {
        guard transactions.isEmpty || signed.bundleId == bundleId && signed.environment == environment else {
            throw SignedDataFault(.mixed, "The transactions are of several apps or environments; send those of one.")
        }
        transactions.append(signed)
    }

    mutating func add(_ signed: SignedRenewalInfo) { renewalInfos.append(signed) }

    /// Takes the `status` that Apple gives a subscription; of a number that is none of Apple's five nothing follows.
    mutating func add(status: Int64?, of id: String, asOf: Timestamp) {
        guard let status else { return }
        statuses[id] = SubscriptionStatus(SubscriptionStatus.Code(rawValue: status) ?? .unknown, asOf: asOf)
    }

    /// The book, as of Apple's clock where it is an answer, or of the date of what was signed last.
    ///
    /// A renewal info without a transaction is left out, as nobody knows whose app it is. A listed subscription has the
    /// answer's date, too. `revoked` names transactions that were revoked by then.
    func book(coverage: HistoryCoverage, asOf: Timestamp? = nil, revoked: Set<String> = []) -> Book {
        let dates = transactions.map(\.signedDate) + renewalInfos.map(\.signedDate)
        var book = Book(
            Listing(
                bundleId: bundleId,
                environment: environment,
                asOf: asOf ?? dates.max(),
                coverage: coverage,
                by: asOf == nil ? .signature : .answer
            )
        )
        func date(_ signed: Timestamp) -> Timestamp { max(signed, asOf ?? signed) }
        let purchases = transactions.map { signed in
            var transaction = signed.transaction
            if revoked.contains(signed.transactionId) {
                transaction.revocationDate = transaction.revocationDate ?? asOf
            }
            var said = Statement(transaction, asOf: date(signed.signedDate), by: .signature)
            said.shownSince = said.shownSince.map { min($0, signed.signedDate) }
            return said
        }
        let known = Set(transactions.lazy.map(\.transaction.originalTransactionId))
        var renewals: [Statement<RenewalInfo?>] = []
        var unsaid = statuses.filter { known.contains($0.key) }
        for info in renewalInfos where known.contains(info.originalTransactionId) && info.environment == environment {
            var renewal = info.renewal
            renewal.status = statuses[info.originalTransactionId]
            unsaid[info.originalTransactionId] = nil
            renewals.append(Statement(renewal, asOf: date(info.signedDate), by: .signature))
        }
        for (id, status) in unsaid {
            var renewal = RenewalInfo.standIn(originalTransactionId: id)
            renewal.status = status
            renewals.append(Statement(renewal, asOf: status.asOf, by: .signature))
        }
        book.add(purchases, renewals)
        return book
    }
}

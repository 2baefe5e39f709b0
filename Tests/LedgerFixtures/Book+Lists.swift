package import Offers

/// A book by flat lists, as an answer or, with partial coverage, as signed data of one moment.
extension Book {
    package init(
        of bundleId: String?,
        in environment: AppStoreEnvironment? = .production,
        asOf: Timestamp?,
        _ renewals: [RenewalInfo]?,
        _ transactions: [Transaction],
        _ coverage: HistoryCoverage = .complete
    ) {
        let isSigned = coverage == .partial
        self.init(
            Listing(
                bundleId: bundleId,
                environment: environment,
                asOf: asOf,
                coverage: renewals == nil ? .withoutEntries : coverage,
                by: isSigned ? .signature : .answer
            )
        )
        guard isSigned, let asOf else {
            add(rows: transactions, entries: renewals ?? [])
            return
        }
        add(
            transactions.map { Statement($0, asOf: asOf, by: .signature) },
            (renewals ?? []).map { Statement($0, asOf: asOf, by: .signature) }
        )
    }

    package var transactions: [Transaction] {
        get { chapters.flatMap(\.transactions).map(\.content) }
        set { self = with(renewals, newValue, coverage) }
    }

    /// `nil` where there is no list of them.
    package var renewals: [RenewalInfo]? {
        get { coverage == .withoutEntries ? nil : chapters.compactMap { $0.renewal?.content } }
        set { self = with(newValue, transactions, coverage) }
    }

    package var coverage: HistoryCoverage {
        get { listing?.coverage ?? .partial }
        set { self = with(renewals, transactions, newValue) }
    }

    private func with(_ renewals: [RenewalInfo]?, _ transactions: [Transaction], _ coverage: HistoryCoverage) -> Book {
        Book(of: bundleId, in: environment, asOf: asOf, renewals, transactions, coverage)
    }
}

extension Transaction {
    /// A period of a subscription: its first transaction, unless it is called otherwise.
    package init(
        _ id: String,
        _ productId: String = "monthly",
        in group: String? = nil,
        from start: Timestamp?,
        until end: Timestamp?,
        by account: AppAccountToken? = nil,
        under offer: RedeemedOffer? = nil,
        called transactionId: String? = nil
    ) {
        self.init(originalTransactionId: id, productId: productId)
        (subscriptionGroupIdentifier, purchaseDate, expiresDate) = (group, start, end)
        (appAccountToken, self.offer, self.transactionId) = (account, offer, transactionId ?? id)
    }
}

extension Chapter {
    /// A transaction by its identifier.
    package subscript(_ id: String) -> Transaction? { transactions.first { $0.content.transactionId == id }?.content }
}

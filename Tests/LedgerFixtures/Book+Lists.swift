package import Offers

/// A book by flat lists, as an answer or, with partial coverage, as signed data of one moment.
extension Book {
    package init(
        bundleId: String?,
        environment: AppStoreEnvironment?,
        asOf: Timestamp?,
        renewals: [RenewalInfo]?,
        transactions: [Transaction],
        coverage: HistoryCoverage = .complete
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
        Book(
            bundleId: bundleId,
            environment: environment,
            asOf: asOf,
            renewals: renewals,
            transactions: transactions,
            coverage: coverage
        )
    }
}

extension Chapter {
    /// A transaction by its identifier.
    package subscript(_ id: String) -> Transaction? { transactions.first { $0.content.transactionId == id }?.content }
}

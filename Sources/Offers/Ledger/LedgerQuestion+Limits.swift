extension LedgerQuestion {
    /// Asks how many signatures of each limit of an app a customer has: of an account, or of a subscription, by what is held.
    package init(
        limitsOf app: App,
        of view: AccountView,
        subscription id: String? = nil,
        held: Book,
        at now: Timestamp
    ) {
        let book = Book(held: held, of: app, for: view, asking: id)
        var policy = OfferPolicy(
            app: app,
            customer: Customer(account: view.account, book: book),
            now: now,
            maximumEvidenceAgeSeconds: 0
        )
        self.init(
            bundleId: app.bundleId,
            environment: book?.environment,
            customer: view.account.customer(by: app.customerSeparator),
            now: now,
            offers: app.offers.compactMap { offer in
                guard let facts = policy.facts(of: offer), let limit = facts.offer.terms.signatureLimit else {
                    return nil
                }
                return (offer, limit, facts.originalTransactionId ?? id)
            },
            originalTransactionIds: []
        )
        for chapter in book?.chapters ?? [] where !chapter.linked.isEmpty {
            if let id = chapter.id { otherIds[id] = chapter.linked.sorted() }
        }
        guard let id else { return }
        let identities = held.chapters.map(\.identity).filter { $0.originalTransactionId == id }
        // Limits count for the account that has the subscription, where it is known.
        knownAccount = identities.lazy.compactMap { RetentionCustomer($0, in: held, of: app).account }.first
    }
}

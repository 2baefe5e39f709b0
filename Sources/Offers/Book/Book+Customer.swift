/// The customer: evidence, joined with what is held.
extension Book {
    /// What decides about a customer without evidence: what is held of the account.
    ///
    /// It is complete where Apple once spoke of all subscriptions of the account, as far as their newest transactions go;
    /// else its omissions cannot be seen. A subscription that was asked about by its first transaction counts, too. Of the
    /// environments, in which the request counts, production is taken first; `nil` where nothing is held.
    package init?(
        held: Book,
        of app: App,
        in environments: Set<AppStoreEnvironment>? = nil,
        for view: AccountView,
        asking id: String? = nil
    ) {
        let counting = environments ?? app.environments
        let named = id.map { [$0] } ?? []
        for environment in AppStoreEnvironment.allCases where counting.contains(environment) {
            let mark = held.marks.first {
                $0.environment == environment && $0.bundleId == app.bundleId && $0.account == view.digest
            }
            let (chapters, redemptions) = held.selected(
                of: app.bundleId,
                in: environment,
                for: view,
                named: named,
                linkedTo: Set(named)
            )
            guard mark != nil || chapters.contains(where: \.hasState) else { continue }
            self.init(
                Listing(
                    bundleId: app.bundleId,
                    environment: environment,
                    asOf: mark?.asOf ?? chapters.compactMap(\.asOf).max(),
                    coverage: mark == nil ? .partial : .newestTransactions,
                    by: .memory
                )
            )
            self.chapters = chapters
            self.redemptions = redemptions
            joinLinked()
            return
        }
        return nil
    }

    /// The evidence with what is held of its subscriptions, and of others of the account.
    package func joined(with held: Book, for view: AccountView) -> Book {
        var book = self
        if let bundleId, let environment, asOf != nil, !held.isEmpty {
            let (others, redemptions) = held.selected(
                of: bundleId,
                in: environment,
                for: view,
                named: chapters.compactMap(\.id),
                linkedTo: Set(chapters.flatMap(\.linked))
            )
            book.redemptions += redemptions
            for chapter in others {
                // Entries of one subscription that contradict each other are several.
                let places = book.chapters.indices.filter { book.chapters[$0].identity == chapter.identity }
                for place in places { book.chapters[place].join(chapter) }
                if places.isEmpty { book.chapters.append(chapter) }
            }
        }
        book.joinLinked()
        return book
    }

    /// The held chapters that count for a customer, and the redemptions of those that count for nothing else.
    ///
    /// Those are named, belong to the account, or are the same subscription as one of these under another identifier.
    /// Redemptions that only a client showed lead to nothing else.
    private func selected(
        of bundleId: String,
        in environment: AppStoreEnvironment,
        for view: AccountView,
        named: [String],
        linkedTo others: Set<String>
    ) -> (chapters: [Chapter], redemptions: [OfferRedemption]) {
        // Indices avoid copies: copying what is held takes longer than looking at it.
        let here = chapters.indices.filter {
            chapters[$0].identity.environment == environment && chapters[$0].identity.bundleId == bundleId
        }
        func tie(_ place: Int) -> AccountTie? { view.digest.flatMap { chapters[place].accounts[$0] } }
        var meant = here.filter { place in
            named.contains(chapters[place].identity.originalTransactionId)
                || chapters[place].hasState && tie(place) != nil && tie(place) != .redeemed
        }
        if !others.isEmpty || here.contains(where: { !chapters[$0].linked.isEmpty }) {
            var ids = others.union(named).union(meant.map { chapters[$0].identity.originalTransactionId })
            var count = -1
            while ids.count != count {
                count = ids.count
                for place in here
                where !ids.isDisjoint(with: chapters[place].linked)
                    || ids.contains(chapters[place].identity.originalTransactionId)
                {
                    ids.formUnion(chapters[place].linked)
                    ids.insert(chapters[place].identity.originalTransactionId)
                }
            }
            meant = here.filter { place in
                meant.contains(place)
                    || chapters[place].hasState && ids.contains(chapters[place].identity.originalTransactionId)
            }
        }
        return (
            meant.map { view.remembered(chapters[$0]) },
            here.filter { !meant.contains($0) && tie($0) != nil }.flatMap { chapters[$0].redemptions }
        )
    }

    /// For a ``StateQuestion``, a bounded number of them.
    package var namedSubscriptions: [SubscriptionIdentity] {
        guard let bundleId, let environment else { return [] }
        var ids = Set(chapters.lazy.compactMap(\.id))
        for chapter in chapters { ids.formUnion(chapter.linked) }
        // The order of the lists must not decide which ones are left out.
        return ids.sorted().prefix(Self.mostNamedSubscriptions).map {
            SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: $0)
        }
    }

    private static let mostNamedSubscriptions = 16

    /// The redemptions of all held subscriptions of an account in an environment.
    package func redemptions(in environment: AppStoreEnvironment, of account: AccountDigest) -> [OfferRedemption] {
        chapters.filter { $0.identity.environment == environment && $0.accounts[account] != nil }
            .flatMap(\.redemptions)
    }

    /// Adds redemptions that count beside those of the chapters.
    package func adding(redemptions others: [OfferRedemption]) -> Book {
        guard !others.isEmpty else { return self }
        var book = self
        book.redemptions += others
        return book
    }
}

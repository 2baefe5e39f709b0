extension SubscriptionHistory {
    /// What held state alone says of an account.
    ///
    /// It is complete where all subscriptions of the account were told once, as far as their newest transactions go; else
    /// what was not told cannot be seen. Of several environments that count for the app, production is taken first.
    ///
    /// - Parameters:
    ///   - state: What is held.
    ///   - app: The app of the catalog.
    ///   - view: The account.
    ///   - transactionId: The first transaction of a subscription that was asked about, and counts beside those of the
    ///     account.
    public init?(held state: HeldState, of app: App, for view: AccountView, asking transactionId: String? = nil) {
        let subscriptions = state.subscriptions
        func isMeant(_ index: Int) -> Bool {
            guard subscriptions[index].identity.bundleId == app.bundleId else { return false }
            if let digest = view.digest, subscriptions[index].accounts[digest] != nil { return true }
            return transactionId != nil && subscriptions[index].identity.originalTransactionId == transactionId
        }
        func isMark(_ mark: AccountHistoryMark, of environment: AppStoreEnvironment) -> Bool {
            mark.environment == environment && mark.bundleId == app.bundleId && mark.account == view.digest
        }
        // By their places: copying what is held takes longer than looking at it.
        let meant = subscriptions.indices.filter(isMeant)
        let found = AppStoreEnvironment.allCases.first { environment in
            guard app.environments.contains(environment) else { return false }
            return meant.contains { subscriptions[$0].identity.environment == environment }
                || state.marks.contains { isMark($0, of: environment) }
        }
        guard let found else { return nil }
        let told = state.marks.first { isMark($0, of: found) }?.told
        var renewals: [RenewalInfo] = []
        var transactions: [Transaction] = []
        var recorded: [Transaction] = []
        var newest: Timestamp?
        for index in meant where subscriptions[index].identity.environment == found {
            if let entry = subscriptions[index].entry { renewals.append(entry) }
            transactions.reserveCapacity(transactions.count + subscriptions[index].transactions.count)
            for (key, held) in subscriptions[index].transactions {
                if subscriptions[index].unconfirmed.contains(key) {
                    recorded.append(view.transaction(held))
                } else {
                    transactions.append(view.transaction(held))
                }
            }
            if told == nil, let asOf = subscriptions[index].asOf { newest = newest.map { max($0, asOf) } ?? asOf }
        }
        self.init(
            bundleId: app.bundleId,
            environment: found,
            asOf: told?.asOf ?? newest,
            renewals: renewals,
            transactions: transactions,
            coverage: told == nil ? .partial : .newestTransactions
        )
        isHeld = true
        recordedTransactions = recorded
    }

    /// The subscriptions that the history names, for a ``StateQuestion``; a bounded number of them.
    public var namedSubscriptions: [SubscriptionIdentity] {
        guard let bundleId, let environment else { return [] }
        var ids: [String] = []
        func note(_ id: String) {
            // As it is one of a few, they are looked through.
            if ids.count <= Self.mostNamedSubscriptions, !ids.contains(id) { ids.append(id) }
        }
        for transaction in transactions { note(transaction.originalTransactionId) }
        for renewal in renewals ?? [] { renewal.originalTransactionId.map(note) }
        if ids.count > Self.mostNamedSubscriptions {
            // Which ones are left out does not depend on the order of the lists.
            let all = transactions.map(\.originalTransactionId) + (renewals ?? []).compactMap(\.originalTransactionId)
            ids = Array(Set(all).sorted().prefix(Self.mostNamedSubscriptions))
        }
        return ids.map {
            SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: $0)
        }
    }

    private static let mostNamedSubscriptions = 16

    /// The evidence with what held state knows better: a refund since then, an offer redeemed since then.
    ///
    /// - Parameters:
    ///   - state: What is held of the subscriptions that the evidence names, and of the account.
    ///   - source: Who said what the evidence says: what clients said is never put over what Apple said.
    ///   - view: The account of the request.
    ///   - oldest: Since when a held renewal info counts beside a signed transaction that came without one, and was signed
    ///     later; `nil` however old it is.
    /// - Returns: The history that decisions should read.
    public func updated(
        by state: HeldState,
        from source: StateSource,
        for view: AccountView,
        since oldest: Timestamp? = nil
    ) -> SubscriptionHistory {
        guard !state.isEmpty, let asOf else { return self }
        let subscriptions = state.subscriptions
        var update = HeldUpdate(self, asOf: asOf, by: subscriptions, from: source, for: view, since: oldest)
        for held in subscriptions
        where held.identity.bundleId == bundleId && held.identity.environment == environment {
            update.take(held)
        }
        return update.history
    }
}

extension HeldSubscription {
    /// The entry that decisions read where what clients alone told is left out.
    var entry: RenewalInfo? { entry(leavingOut: unconfirmed) }

    /// The entry that decisions read: a transaction alone stands for one, unless Apple said that there is none.
    ///
    /// - Parameter leftOut: The transactions that are not read; what a client said of the renewal is of them, too.
    /// - Returns: The entry; `nil` where there is none.
    func entry(leavingOut leftOut: [String]) -> RenewalInfo? {
        guard let renewal, leftOut.isEmpty || renewal.source.isApples else { return standIn(leavingOut: leftOut) }
        func isSince(_ key: String, _ held: Held<Transaction>) -> Bool {
            held.asOf > renewal.asOf && !leftOut.contains(key)
        }
        guard var entry = renewal.value else {
            // What was bought after Apple had said so is a new beginning.
            return transactions.contains(where: isSince) ? standIn(leavingOut: leftOut) : nil
        }
        // What was bought since then is another time, of whose end nobody has spoken.
        if transactions.contains(where: { isSince($0, $1) && $1.value.isBought(since: renewal.asOf) }) {
            return standIn(leavingOut: leftOut)
        }
        entry.signedDate = renewal.asOf
        if entry.productId == nil || entry.subscriptionGroupIdentifier == nil,
            let newest = newest(leavingOut: leftOut)
        {
            entry.productId = entry.productId ?? newest.productId
            entry.subscriptionGroupIdentifier = entry.subscriptionGroupIdentifier ?? newest.subscriptionGroupIdentifier
        }
        return entry
    }

    private func newest(leavingOut leftOut: [String]) -> Transaction? {
        // Mostly there is one, and comparing copies it.
        guard transactions.count > 1 else { return leftOut.isEmpty ? transactions.values.first?.value : nil }
        return transactions.lazy.filter { !leftOut.contains($0.key) }.map(\.value.value).max(by: Transaction.isOlder)
    }

    /// An entry that stands for what nobody said of the renewal.
    ///
    /// - Parameter leftOut: The transactions that are not read.
    /// - Returns: The entry; `nil` where there is no transaction.
    func standIn(leavingOut leftOut: [String]) -> RenewalInfo? {
        newest(leavingOut: leftOut).map { newest in
            RenewalInfo.standIn(
                originalTransactionId: identity.originalTransactionId,
                productId: newest.productId,
                subscriptionGroupIdentifier: newest.subscriptionGroupIdentifier
            )
        }
    }
}

extension Transaction {
    /// Whether it was bought after a moment, and not replaced by an upgrade.
    func isBought(since moment: Timestamp) -> Bool {
        !isUpgraded && purchaseDate.map { $0 > moment } ?? false
    }
}

extension SubscriptionHistory {
    /// The word of held state alone on an account; a subscription that was asked about by its first transaction counts,
    /// too.
    ///
    /// It is complete where Apple once spoke of all subscriptions of the account, as far as their newest transactions
    /// go; else its omissions cannot be seen. Of several environments that count for the app, production is taken
    /// first.
    package init?(held state: HeldState, of app: App, for view: AccountView, asking transactionId: String? = nil) {
        let subscriptions = state.subscriptions
        // Redemptions that only a client showed lead to nothing else.
        func isState(_ index: Int) -> Bool {
            guard subscriptions[index].identity.bundleId == app.bundleId, subscriptions[index].hasState else {
                return false
            }
            let tie = view.digest.flatMap { subscriptions[index].accounts[$0] }
            return tie != nil && tie != .redeemed
                || transactionId != nil && subscriptions[index].identity.originalTransactionId == transactionId
        }
        func isMark(_ mark: AccountHistoryMark, of environment: AppStoreEnvironment) -> Bool {
            mark.environment == environment && mark.bundleId == app.bundleId && mark.account == view.digest
        }
        // Indices avoid copies: copying held state takes longer than looking at it.
        var meant = subscriptions.indices.filter(isState)
        let linked = HeldSubscription.linked(subscriptions, to: meant)
        if !linked.isEmpty { meant = subscriptions.indices.filter { meant.contains($0) || linked.contains($0) } }
        let found = AppStoreEnvironment.allCases.first { environment in
            guard app.environments.contains(environment) else { return false }
            return meant.contains { subscriptions[$0].identity.environment == environment }
                || state.marks.contains { isMark($0, of: environment) }
        }
        guard let found else { return nil }
        let mark = state.marks.first { isMark($0, of: found) }
        var renewals: [RenewalInfo] = []
        var transactions: [Transaction] = []
        var newest: Timestamp?
        for index in meant where subscriptions[index].identity.environment == found {
            if let entry = subscriptions[index].entry { renewals.append(entry) }
            transactions.reserveCapacity(transactions.count + subscriptions[index].transactions.count)
            for held in subscriptions[index].transactions.values { transactions.append(view.transaction(held)) }
            if mark == nil, let asOf = subscriptions[index].asOf { newest = newest.map { max($0, asOf) } ?? asOf }
        }
        let links = subscriptions.lazy.filter { $0.identity.environment == found && !$0.linked.isEmpty }
            .map { ($0.identity.originalTransactionId, $0.linked) }
        self.init(
            bundleId: app.bundleId,
            environment: found,
            asOf: mark?.asOf ?? newest,
            renewals: renewals,
            transactions: transactions,
            coverage: mark == nil ? .partial : .newestTransactions
        )
        isHeld = true
        linkedIds = Dictionary(links, uniquingKeysWith: { $0.union($1) })
        for index in subscriptions.indices where subscriptions[index].identity.environment == found {
            if meant.contains(index) {
                recordedTransactions += subscriptions[index].shown.values
            } else if view.digest.map({ subscriptions[index].accounts[$0] != nil }) == true {
                otherRedemptions += subscriptions[index].redemptions
            }
        }
    }

    /// For a ``StateQuestion``, a bounded number of them.
    package var namedSubscriptions: [SubscriptionIdentity] {
        guard let bundleId, let environment else { return [] }
        var ids = Set(transactions.map(\.originalTransactionId))
        ids.formUnion(transactions.compactMap(\.previousOriginalTransactionId))
        ids.formUnion((renewals ?? []).compactMap(\.originalTransactionId))
        // The order of the lists must not decide which ones are left out.
        return ids.sorted().prefix(Self.mostNamedSubscriptions).map {
            SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: $0)
        }
    }

    private static let mostNamedSubscriptions = 16

    /// The evidence with the better knowledge of held state: a refund since then, an offer redeemed since then.
    ///
    /// A held renewal info that is older than `oldest` does not count beside a signed transaction that came without
    /// one, and was signed later; with `nil` any does.
    package func updated(
        by state: HeldState,
        for view: AccountView,
        since oldest: Timestamp? = nil
    ) -> SubscriptionHistory {
        guard !state.isEmpty, let asOf else { return self }
        let subscriptions = state.subscriptions
        var update = HeldUpdate(self, asOf: asOf, for: view, since: oldest)
        func isHere(_ held: HeldSubscription) -> Bool {
            held.identity.bundleId == bundleId && held.identity.environment == environment
        }
        update.link(subscriptions.filter { !$0.linked.isEmpty && isHere($0) })
        for held in subscriptions where isHere(held) { update.take(held) }
        return update.history
    }
}

extension HeldSubscription {
    /// The places of the subscriptions that are the same as given ones under other identifiers.
    fileprivate static func linked(_ all: [HeldSubscription], to places: [Int]) -> Set<Int> {
        guard all.contains(where: { !$0.linked.isEmpty }) else { return [] }
        var (found, next) = (Set(places), places)
        while let place = next.popLast() {
            for other in all.indices
            where all[other].hasState && all[other].identity.environment == all[place].identity.environment
                && all[place].linked.contains(all[other].identity.originalTransactionId)
                && found.insert(other).inserted
            {
                next.append(other)
            }
        }
        return found.subtracting(places)
    }

    /// The entry that decisions read: a transaction alone stands for one, unless Apple said that there is none.
    var entry: RenewalInfo? {
        guard let renewal else { return standIn }
        guard var entry = renewal.value else {
            // A later purchase is a new beginning.
            return transactions.values.contains { $0.asOf > renewal.asOf } ? standIn : nil
        }
        // A later purchase began another period, whose end is not known.
        let isBoughtSince = transactions.values.contains {
            $0.asOf > renewal.asOf && $0.value.isBought(since: renewal.asOf)
        }
        if isBoughtSince { return standIn }
        entry.signedDate = renewal.asOf
        if entry.productId == nil || entry.subscriptionGroupIdentifier == nil, let newest {
            entry.productId = entry.productId ?? newest.productId
            entry.subscriptionGroupIdentifier = entry.subscriptionGroupIdentifier ?? newest.subscriptionGroupIdentifier
        }
        return entry
    }

    private var newest: Transaction? {
        // Mostly there is one, and comparing copies it.
        guard transactions.count > 1 else { return transactions.values.first?.value }
        return transactions.values.lazy.map(\.value).max(by: Transaction.isOlder)
    }

    /// An entry for a renewal that nobody spoke of; `nil` where there is no transaction.
    var standIn: RenewalInfo? {
        newest.map { newest in
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

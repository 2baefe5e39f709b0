extension StateObservation {
    /// Takes the subscriptions of a history of Apple's, and the accounts that they belong to.
    ///
    /// Of more than ``HeldState/mostOfAccount`` subscriptions those with the newest transactions count; then nobody
    /// knows all that the account has. The account is tied to the subscriptions unless they name others. `isConfirmed` says
    /// that the App Store itself spoke, in an answer or a notification.
    package init(
        _ history: SubscriptionHistory,
        presentedFor account: Account = .none,
        digester: some AccountDigester,
        at moment: Timestamp,
        isConfirmed: Bool = false
    ) {
        guard let seen = SeenHistory(history, of: account, digester, at: moment, isConfirmed: isConfirmed) else {
            self.init(subscriptions: [])
            return
        }
        self = seen.observation
    }

    /// Takes the redemptions of a history that a client showed, in its own words: all else counts for its request
    /// alone.
    package init(
        redemptionsIn history: SubscriptionHistory,
        shownFor account: Account,
        digester: some AccountDigester
    ) {
        // Mostly there are none.
        guard history.transactions.contains(where: { $0.offer?.catalogId != nil }),
            let seen = SeenHistory(history, of: account, digester, at: history.asOf)
        else {
            self.init(subscriptions: [])
            return
        }
        self = seen.redemptions
    }
}

/// A history of a known app and environment, with the account that it was presented for.
private struct SeenHistory<Digester: AccountDigester> {
    let history: SubscriptionHistory
    let bundleId: String
    let environment: AppStoreEnvironment
    let asOf: Timestamp
    let moment: Timestamp
    /// The digest of that account; `nil` where none was named.
    let presenter: AccountDigest?
    let token: AppAccountToken?
    let digester: Digester
    /// The accounts that any transaction names.
    let everyones: Set<AppAccountToken>
    /// When the App Store itself said it; `nil` where a client sent it.
    let confirmed: Timestamp?
    /// The identifiers that are of one subscription with another.
    let linked: [String: Set<String>]

    init?(
        _ history: SubscriptionHistory,
        of account: Account,
        _ digester: Digester,
        at moment: Timestamp?,
        isConfirmed: Bool = false
    ) {
        guard let bundleId = history.bundleId, let environment = history.environment, let asOf = history.asOf else {
            return nil
        }
        self.history = history
        self.bundleId = bundleId
        self.environment = environment
        self.asOf = asOf
        self.moment = moment ?? asOf
        self.digester = digester
        presenter = account.stateKey.map { digester.digest(of: $0, bundleId: bundleId) }
        token = account.storedToken
        everyones = Set(history.transactions.compactMap(\.appAccountToken))
        confirmed = isConfirmed ? asOf : nil
        var linked: [String: Set<String>] = [:]
        for transaction in history.transactions {
            let id = transaction.originalTransactionId
            guard let before = transaction.previousOriginalTransactionId, before != id, !id.isEmpty else { continue }
            linked[id, default: []].insert(before)
            linked[before, default: []].insert(id)
        }
        self.linked = linked
    }

    var observation: StateObservation {
        let entries = Dictionary(
            (history.renewals ?? []).compactMap { entry in entry.originalTransactionId.map { ($0, entry) } },
            uniquingKeysWith: { first, _ in first }
        )
        let bought = Dictionary(grouping: history.transactions, by: \.originalTransactionId)
        // A purchase that neither renews nor expires is no subscription.
        let all = Set(bought.keys).union(entries.keys).filter { id in
            !id.isEmpty
                && (entries[id] != nil
                    || bought[id]?.contains { $0.expiresDate != nil || $0.kind == .bundle } ?? false)
        }
        guard all.count > HeldState.mostOfAccount else {
            return StateObservation(
                subscriptions: all.map { subscription($0, bought[$0] ?? [], entries[$0]) }
                    + former(beside: all, bought),
                mark: mark
            )
        }
        // A mark would say that all subscriptions are held, and here some are not.
        return StateObservation(
            subscriptions: newest(of: all, bought, entries).map { subscription($0, bought[$0] ?? [], entries[$0]) }
        )
    }

    var redemptions: StateObservation {
        let bought = Dictionary(grouping: history.transactions, by: \.originalTransactionId)
        let redeemed = bought.filter { id, transactions in
            !id.isEmpty && transactions.contains { $0.offer?.catalogId != nil && $0.isOwnPurchase }
        }
        return StateObservation(
            subscriptions: newest(of: Set(redeemed.keys), redeemed, [:]).map { id in
                let transactions = redeemed[id] ?? []
                var accounts: [AccountDigest: AccountTie] = [:]
                if let presenter, !isOthers(transactions) { accounts[presenter] = .redeemed }
                return HeldSubscription(identity(id), shown: RedemptionRun.whole(in: transactions), accounts: accounts)
            }
        )
    }

    /// The former identifiers of subscriptions, of which nothing else is said: they lead to the present ones.
    private func former(beside all: Set<String>, _ bought: [String: [Transaction]]) -> [HeldSubscription] {
        linked.keys.filter { !all.contains($0) }.sorted().prefix(HeldState.mostOfAccount).map { id in
            let later = (linked[id] ?? []).sorted().lazy.compactMap { bought[$0] }.first ?? []
            return HeldSubscription(identity(id), accounts: accounts(of: later).ties, linked: linked[id] ?? [])
        }
    }

    /// The accounts of transactions, and the pseudonyms of those that they name.
    private func accounts(
        of transactions: [Transaction]
    ) -> (ties: [AccountDigest: AccountTie], pseudonyms: [AppAccountToken: AppAccountToken]) {
        var ties: [AccountDigest: AccountTie] = [:]
        if let presenter, !isOthers(transactions) { ties[presenter] = .presented(at: moment) }
        var pseudonyms: [AppAccountToken: AppAccountToken] = [:]
        for token in Set(transactions.compactMap(\.appAccountToken)) {
            let own = token == self.token ? presenter : nil
            let digest = own ?? digester.digest(of: token.lowercased, bundleId: bundleId)
            ties[digest] = .bought
            pseudonyms[token] = digest.pseudonym
        }
        return (ties, pseudonyms)
    }

    private func identity(_ id: String) -> SubscriptionIdentity {
        SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: id)
    }

    /// The newest subscriptions of a history with too many: the same ones whenever it comes.
    private func newest(
        of all: Set<String>,
        _ bought: [String: [Transaction]],
        _ entries: [String: RenewalInfo]
    ) -> some Sequence<String> {
        let dated = all.map { id in
            let newest = bought[id]?.lazy.compactMap { $0.purchaseDate ?? $0.expiresDate }.max()
            return (date: newest ?? entries[id]?.signedDate ?? Timestamp(millisecondsSince1970: .min), id: id)
        }
        return dated.sorted { $0 > $1 }.prefix(HeldState.mostOfAccount).lazy.map(\.id)
    }

    /// The mark that these are all subscriptions of the account, if the history says so.
    private var mark: AccountHistoryMark? {
        guard let presenter, history.coverage.showsEverySubscription, history.renewals != nil,
            !isOthers(history.transactions)
        else { return nil }
        return AccountHistoryMark(account: presenter, bundleId: bundleId, environment: environment, asOf: asOf)
    }

    /// Whether accounts are named, and the presenter's is none of them: by these transactions, or else by any.
    private func isOthers(_ transactions: [Transaction]) -> Bool {
        let named = Set(transactions.compactMap(\.appAccountToken))
        let tokens = named.isEmpty ? everyones : named
        return !tokens.isEmpty && token.map(tokens.contains) != true
    }

    /// The renewal info of a subscription.
    ///
    /// A signed transaction alone has none, though it stands for an entry; nor has an iOS 6 style answer that leaves it
    /// out.
    private func renewal(_ entry: RenewalInfo?, beside transactions: [Transaction]) -> Held<RenewalInfo?>? {
        guard let entry else {
            return history.coverage.showsEverySubscription && history.renewals != nil ? Held(nil, asOf: asOf) : nil
        }
        guard entry.signedDate != nil || transactions.allSatisfy({ $0.signedDate == nil }) else { return nil }
        return Held(entry, asOf: entry.signedDate ?? asOf)
    }

    private func subscription(_ id: String, _ transactions: [Transaction], _ entry: RenewalInfo?) -> HeldSubscription {
        let (accounts, pseudonyms) = accounts(of: transactions)
        let renewal = renewal(entry, beside: transactions)
        return HeldSubscription(
            identity(id),
            transactions: transactions.map { transaction in
                var held = transaction
                held.appAccountToken = transaction.appAccountToken.flatMap { pseudonyms[$0] }
                if held.offer?.catalogId == nil {
                    // Only redemptions need prices.
                    held.price = nil
                    held.storefront = nil
                }
                return Held(held, asOf: transaction.signedDate ?? asOf)
            },
            renewal: renewal,
            accepted: AcceptedOffer.found(in: renewal, beside: transactions),
            accounts: accounts,
            linked: linked[id] ?? [],
            confirmed: confirmed
        )
    }
}

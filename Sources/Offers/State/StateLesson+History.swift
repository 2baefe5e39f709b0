extension StateLesson {
    /// Takes from a history what is worth holding: subscriptions, and the accounts that they belong to.
    ///
    /// Of more than ``HeldState/mostOfAccount`` subscriptions those count whose newest transactions are the newest; then
    /// nothing is learnt of what is all that the account has.
    ///
    /// - Parameters:
    ///   - history: What was said.
    ///   - source: Who said it.
    ///   - account: The account that it was presented for; it is tied to the subscriptions unless they name others.
    ///   - customer: The account's customer, by whom limits count; `nil` for the account itself.
    ///   - digester: Makes the digests of accounts.
    ///   - learntAt: The server's clock.
    public init(
        _ history: SubscriptionHistory,
        from source: StateSource,
        presentedFor account: Account = .none,
        customer: String? = nil,
        digester: some AccountDigester,
        learntAt: Timestamp
    ) {
        guard let bundleId = history.bundleId, let environment = history.environment, let asOf = history.asOf else {
            self.init(subscriptions: [])
            return
        }
        let lesson = HistoryLesson(
            history: history,
            source: source,
            bundleId: bundleId,
            environment: environment,
            asOf: asOf,
            learntAt: learntAt,
            presenter: account.stateKey.map { digester.digest(of: $0, bundleId: bundleId) },
            customer: customer.flatMap { customer in
                customer == account.stateKey ? nil : digester.digest(of: customer, bundleId: bundleId)
            },
            token: account.storedToken,
            digester: digester
        )
        self = lesson.lesson
    }

    /// What is said of a subscription's renewal.
    ///
    /// A signed transaction alone says nothing of it, though it stands for an entry; nor does an iOS 6 style answer that
    /// leaves it out.
    ///
    /// - Parameters:
    ///   - entry: The subscription's entry.
    ///   - besideSigned: Whether any of the subscription's transactions is signed by itself.
    ///   - history: What was said.
    ///   - asOf: When it was said.
    ///   - source: Who said it.
    /// - Returns: What is held of it.
    static func renewal(
        _ entry: RenewalInfo?,
        besideSigned: Bool,
        in history: SubscriptionHistory,
        asOf: Timestamp,
        source: StateSource
    ) -> Held<RenewalInfo?>? {
        guard let entry else {
            return history.coverage.showsEverySubscription && history.renewals != nil
                ? Held(nil, asOf: asOf, source: source) : nil
        }
        guard entry.signedDate != nil || !besideSigned else { return nil }
        return Held(entry, asOf: entry.signedDate ?? asOf, source: source)
    }
}

/// A history of an app and environment that are known, and for whom it was presented.
private struct HistoryLesson<Digester: AccountDigester> {
    let history: SubscriptionHistory
    let source: StateSource
    let bundleId: String
    let environment: AppStoreEnvironment
    let asOf: Timestamp
    let learntAt: Timestamp
    /// The account that the history was presented for; `nil` where none was named.
    let presenter: AccountDigest?
    /// The account's customer, where that is another than the account.
    let customer: AccountDigest?
    /// The account's token in transactions.
    let token: AppAccountToken?
    let digester: Digester

    /// What is learnt.
    var lesson: StateLesson {
        let entries = Dictionary(
            (history.renewals ?? []).compactMap { entry in entry.originalTransactionId.map { ($0, entry) } },
            uniquingKeysWith: { first, _ in first }
        )
        let bought = Dictionary(grouping: history.transactions, by: \.originalTransactionId)
        let everyones = everyones
        // What neither renews nor expires is no subscription.
        let told = Set(bought.keys).union(entries.keys).filter { id in
            !id.isEmpty && (entries[id] != nil || bought[id]?.contains { $0.expiresDate != nil } ?? false)
        }
        guard told.count > HeldState.mostOfAccount else {
            let all = told.map { subscription($0, bought[$0] ?? [], entries[$0], beside: everyones) }
            return StateLesson(subscriptions: all, mark: mark)
        }
        // What is held then is not all that was told, as a mark would say.
        return StateLesson(
            subscriptions: newest(of: told, bought, entries).map { id in
                subscription(id, bought[id] ?? [], entries[id], beside: everyones)
            }
        )
    }

    /// The subscriptions of a history with too many that are learnt, the newest: the same ones whenever it comes.
    private func newest(
        of told: Set<String>,
        _ bought: [String: [Transaction]],
        _ entries: [String: RenewalInfo]
    ) -> some Sequence<String> {
        let dated = told.map { id in
            let newest = bought[id]?.lazy.compactMap { $0.purchaseDate ?? $0.expiresDate }.max()
            return (date: newest ?? entries[id]?.signedDate ?? Timestamp(millisecondsSince1970: .min), id: id)
        }
        return dated.sorted { $0 > $1 }.prefix(HeldState.mostOfAccount).lazy.map(\.id)
    }

    /// That these are all subscriptions of the account, where the history tells.
    private var mark: AccountHistoryMark? {
        guard let presenter, history.coverage.showsEverySubscription, history.renewals != nil, !isOthers(everyones)
        else { return nil }
        return AccountHistoryMark(
            account: presenter,
            bundleId: bundleId,
            environment: environment,
            asOf: asOf,
            source: source
        )
    }

    /// The accounts that any transaction names.
    private var everyones: Set<AppAccountToken> { Set(history.transactions.compactMap(\.appAccountToken)) }

    /// Whether accounts are named, and the presenter's is none of them.
    private func isOthers(_ tokens: Set<AppAccountToken>) -> Bool {
        !tokens.isEmpty && token.map(tokens.contains) != true
    }

    private func subscription(
        _ id: String,
        _ transactions: [Transaction],
        _ entry: RenewalInfo?,
        beside everyones: Set<AppAccountToken>
    ) -> HeldSubscription {
        let tokens = Set(transactions.compactMap(\.appAccountToken))
        var accounts: [AccountDigest: AccountTie] = [:]
        var customers: [AccountDigest: AccountDigest] = [:]
        if let presenter, !isOthers(tokens.isEmpty ? everyones : tokens) {
            accounts[presenter] = .presented(at: learntAt)
            customers[presenter] = customer
        }
        var pseudonyms: [AppAccountToken: AppAccountToken] = [:]
        for token in tokens {
            let digest = digester.digest(of: token.lowercased, bundleId: bundleId)
            accounts[digest] = .bought
            pseudonyms[token] = digest.pseudonym
        }
        return HeldSubscription(
            SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: id),
            transactions: transactions.map { transaction in
                var held = transaction
                held.appAccountToken = transaction.appAccountToken.flatMap { pseudonyms[$0] }
                return Held(held, asOf: transaction.signedDate ?? asOf, source: source)
            },
            renewal: StateLesson.renewal(
                entry,
                besideSigned: transactions.contains { $0.signedDate != nil },
                in: history,
                asOf: asOf,
                source: source
            ),
            accounts: accounts,
            customers: customers,
            learntAt: learntAt
        )
    }
}

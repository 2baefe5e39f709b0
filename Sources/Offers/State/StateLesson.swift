/// What is learnt at once, from one piece of evidence or one notification.
public struct StateLesson: Equatable, Sendable {
    /// What is learnt of each subscription.
    public let subscriptions: [HeldSubscription]
    /// That all subscriptions of the account are among them; `nil` when that is not known.
    public let mark: AccountHistoryMark?

    /// Creates a lesson.
    ///
    /// - Parameters:
    ///   - subscriptions: What is learnt of each subscription.
    ///   - mark: That all subscriptions of the account are among them.
    public init(subscriptions: [HeldSubscription], mark: AccountHistoryMark? = nil) {
        self.subscriptions = subscriptions
        self.mark = mark
    }

    /// Whether there is nothing to learn.
    public var isEmpty: Bool { subscriptions.isEmpty && mark == nil }

    /// Takes from a history what is worth holding: subscriptions, and the accounts that they belong to.
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
        let presenter = account.stateKey.map { digester.digest(of: $0, bundleId: bundleId) }
        let patron = customer.flatMap { customer in
            customer == account.stateKey ? nil : digester.digest(of: customer, bundleId: bundleId)
        }
        let everyones = Set(history.transactions.compactMap(\.appAccountToken))
        func isOther(_ tokens: Set<AppAccountToken>) -> Bool {
            !tokens.isEmpty && account.storedToken.map(tokens.contains) != true
        }
        var subscriptions: [HeldSubscription] = []
        let entries = Dictionary(
            (history.renewals ?? []).compactMap { entry in entry.originalTransactionId.map { ($0, entry) } },
            uniquingKeysWith: { first, _ in first }
        )
        let bought = Dictionary(grouping: history.transactions, by: \.originalTransactionId)
        for id in Set(bought.keys).union(entries.keys) where !id.isEmpty {
            let transactions = bought[id] ?? []
            // What neither renews nor expires is no subscription.
            guard entries[id] != nil || transactions.contains(where: { $0.expiresDate != nil }) else { continue }
            let tokens = Set(transactions.compactMap(\.appAccountToken))
            var accounts: [AccountDigest: AccountTie] = [:]
            var customers: [AccountDigest: AccountDigest] = [:]
            if let presenter, !isOther(tokens.isEmpty ? everyones : tokens) {
                accounts[presenter] = .presented(at: learntAt)
                customers[presenter] = patron
            }
            var pseudonyms: [AppAccountToken: AppAccountToken] = [:]
            for token in tokens {
                let digest = digester.digest(of: token.lowercased, bundleId: bundleId)
                accounts[digest] = .bought
                pseudonyms[token] = digest.pseudonym
            }
            subscriptions.append(
                HeldSubscription(
                    SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: id),
                    transactions: transactions.map { transaction in
                        var held = transaction
                        held.appAccountToken = transaction.appAccountToken.flatMap { pseudonyms[$0] }
                        return Held(held, asOf: transaction.signedDate ?? asOf, source: source)
                    },
                    renewal: Self.renewal(
                        entries[id],
                        besideSigned: transactions.contains { $0.signedDate != nil },
                        in: history,
                        asOf: asOf,
                        source: source
                    ),
                    accounts: accounts,
                    customers: customers,
                    learntAt: learntAt
                )
            )
        }
        var mark: AccountHistoryMark?
        if let presenter, history.coverage.showsEverySubscription, history.renewals != nil, !isOther(everyones) {
            mark = AccountHistoryMark(
                account: presenter,
                bundleId: bundleId,
                environment: environment,
                asOf: asOf,
                source: source
            )
        }
        self.init(subscriptions: subscriptions, mark: mark)
    }

    /// What is said of a subscription's renewal.
    ///
    /// A signed transaction alone says nothing of it, though it stands for an entry.
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
            return history.coverage == .partial || history.renewals == nil
                ? nil : Held(nil, asOf: asOf, source: source)
        }
        guard entry.signedDate != nil || !besideSigned else { return nil }
        return Held(entry, asOf: entry.signedDate ?? asOf, source: source)
    }
}

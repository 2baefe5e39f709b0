/// Evidence beside what is held: whether a ``StateLesson`` of it would teach anything.
///
/// Most evidence was seen before, and it takes a fraction of the time to find that out than to make the lesson. Where it
/// would take as long, of long lists, it says that there may be something to learn.
struct EvidenceComparison {
    /// The most transactions, and the most entries, that are looked at.
    static let mostCompared = 32

    let state: HeldState
    let history: SubscriptionHistory
    let source: StateSource
    let view: AccountView
    /// The account's customer, where it is another text than the account.
    let patron: AccountDigest?
    let digester: any AccountDigester
    let moment: Timestamp

    /// Whether all of it is held already, but for moments within the last hour.
    var isKnown: Bool {
        guard let bundleId = history.bundleId, let environment = history.environment, let asOf = history.asOf else {
            // Nothing of it can be held.
            return true
        }
        let (transactions, entries) = (history.transactions, history.renewals ?? [])
        guard transactions.count <= Self.mostCompared, entries.count <= Self.mostCompared else { return false }
        func isKnown(_ id: String) -> Bool {
            self.isKnown(
                SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: id),
                entry: entries.first { $0.originalTransactionId == id },
                asOf: asOf
            )
        }
        for place in transactions.indices {
            let id = transactions[place].originalTransactionId
            let isFirst = !transactions[..<place].contains { $0.originalTransactionId == id }
            guard !isFirst || id.isEmpty || isKnown(id) else { return false }
        }
        for entry in entries {
            guard let id = entry.originalTransactionId, !id.isEmpty,
                !transactions.contains(where: { $0.originalTransactionId == id })
            else { continue }
            guard isKnown(id) else { return false }
        }
        return isMarkKnown(bundleId, environment, asOf)
    }

    private func isKnown(_ identity: SubscriptionIdentity, entry: RenewalInfo?, asOf: Timestamp) -> Bool {
        let id = identity.originalTransactionId
        var isSubscription = entry != nil
        var isSigned = false
        for transaction in history.transactions where transaction.originalTransactionId == id {
            isSubscription = isSubscription || transaction.expiresDate != nil
            isSigned = isSigned || transaction.signedDate != nil
        }
        guard isSubscription else { return true }
        guard let held = state.subscriptions.first(where: { $0.identity == identity }),
            moment <= held.learntAt.adding(seconds: 3600)
        else { return false }
        let renewal = StateLesson.renewal(entry, besideSigned: isSigned, in: history, asOf: asOf, source: source)
        guard renewal == nil || renewal == held.renewal, isPresenterKnown(held) else { return false }
        return history.transactions.allSatisfy { transaction in
            transaction.originalTransactionId != id || isKnown(transaction, of: held, asOf: asOf)
        }
    }

    private func isKnown(_ transaction: Transaction, of held: HeldSubscription, asOf: Timestamp) -> Bool {
        guard let known = held.transactions[transaction.heldKey], known.source == source,
            known.asOf == transaction.signedDate ?? asOf
        else { return false }
        guard let token = transaction.appAccountToken else { return known.value == transaction }
        let digest = token == view.account.storedToken ? view.digest : nil
        let account = digest ?? digester.digest(of: token.lowercased, bundleId: held.identity.bundleId)
        var pseudonymous = transaction
        pseudonymous.appAccountToken = account.pseudonym
        return held.accounts[account] == .bought && known.value == pseudonymous
    }

    /// Whether the account is tied to the subscription, unless its purchases name others.
    private func isPresenterKnown(_ held: HeldSubscription) -> Bool {
        guard let presenter = view.digest else { return true }
        let id = held.identity.originalTransactionId
        let namesAny = history.transactions.contains { $0.originalTransactionId == id && $0.appAccountToken != nil }
        if namesOthers(history.transactions.lazy.filter { !namesAny || $0.originalTransactionId == id }) { return true }
        return held.accounts[presenter] != nil && (patron == nil || held.customers[presenter] == patron)
    }

    private func isMarkKnown(_ bundleId: String, _ environment: AppStoreEnvironment, _ asOf: Timestamp) -> Bool {
        guard let presenter = view.digest, history.coverage.showsEverySubscription, history.renewals != nil,
            !namesOthers(history.transactions)
        else { return true }
        let mark = AccountHistoryMark(
            account: presenter,
            bundleId: bundleId,
            environment: environment,
            asOf: asOf,
            source: source
        )
        return mark.put(into: state.marks) == state.marks
    }

    /// Whether purchases name accounts, and this one is not among them.
    private func namesOthers(_ transactions: some Sequence<Transaction>) -> Bool {
        var namesAny = false
        for transaction in transactions {
            guard let token = transaction.appAccountToken else { continue }
            if token == view.account.storedToken { return false }
            namesAny = true
        }
        return namesAny
    }
}

extension HeldState {
    /// Whether all that evidence would teach is held already, but for moments within the last hour.
    ///
    /// - Parameters:
    ///   - history: What the evidence says; this is what is held of the subscriptions that it names, and of the account.
    ///   - source: Who said it.
    ///   - view: The account that it was presented for.
    ///   - customer: The account's customer, by whom limits count; `nil` for the account itself.
    ///   - digester: Makes the digests of accounts.
    ///   - moment: The server's clock.
    /// - Returns: `true` when a ``StateLesson`` of it would teach nothing; `false` when it may.
    public func knows(
        _ history: SubscriptionHistory,
        from source: StateSource,
        presentedFor view: AccountView,
        customer: String? = nil,
        digester: any AccountDigester,
        at moment: Timestamp
    ) -> Bool {
        let patron = customer.flatMap { customer in
            customer == view.account.stateKey
                ? nil : history.bundleId.map { digester.digest(of: customer, bundleId: $0) }
        }
        return EvidenceComparison(
            state: self,
            history: history,
            source: source,
            view: view,
            patron: patron,
            digester: digester,
            moment: moment
        ).isKnown
    }
}

/// Puts held state over evidence, where it is newer.
struct HeldUpdate {
    /// The evidence, with the held state that was taken so far.
    private(set) var history: SubscriptionHistory
    private let asOf: Timestamp
    private let view: AccountView
    private let oldest: Timestamp?
    /// The identifiers of the evidence's subscriptions, where they have several.
    private var linked: Set<String> = []

    /// Starts with the evidence as it came, and its date; see ``SubscriptionHistory/updated(by:for:since:)``.
    init(
        _ history: SubscriptionHistory,
        asOf: Timestamp,
        for view: AccountView,
        since oldest: Timestamp?
    ) {
        self.history = history
        self.asOf = asOf
        self.view = view
        self.oldest = oldest
    }

    /// Takes a subscription of the same app and environment, once.
    mutating func take(_ held: HeldSubscription) {
        let id = held.identity.originalTransactionId
        // Both lists are bounded: the one by the length of a request, the other by what is held of one account.
        let positions = history.transactions.indices.filter { history.transactions[$0].originalTransactionId == id }
        let entry = history.renewals?.firstIndex { $0.originalTransactionId == id }
        if positions.isEmpty, entry == nil { add(held) } else { update(by: held, at: positions, entry: entry) }
    }

    /// Adds a subscription that the evidence does not name: another one of the account, or one of the evidence's under
    /// another identifier.
    private mutating func add(_ held: HeldSubscription) {
        let tie = view.digest.flatMap { held.accounts[$0] }
        guard tie != nil || linked.contains(held.identity.originalTransactionId) else { return }
        guard tie != .redeemed, held.hasState, let date = held.asOf else {
            // An offer that was redeemed stays redeemed.
            history.otherRedemptions += held.redemptions
            return
        }
        history.transactions += held.transactions.values.map(view.transaction)
        history.recordedTransactions += held.shown.values
        if let entry = held.entry { history.renewals = (history.renewals ?? []) + [entry] }
        note(date, of: held, isWhole: true)
    }

    /// Names the identifiers that are of one subscription with another.
    mutating func link(_ subscriptions: [HeldSubscription]) {
        for held in subscriptions where !held.linked.isEmpty {
            history.linkedIds[held.identity.originalTransactionId] = held.linked
        }
        // Mostly there are none.
        guard
            !history.linkedIds.isEmpty
                || history.transactions.contains(where: { $0.previousOriginalTransactionId != nil })
        else { return }
        let named = Set(history.transactions.map(\.originalTransactionId))
            .union((history.renewals ?? []).compactMap(\.originalTransactionId))
        for ids in SubscriptionIds(history).all where !named.isDisjoint(with: ids) { linked.formUnion(ids) }
    }

    /// Takes the positions of the subscription's transactions and of its entry in the evidence.
    private mutating func update(by held: HeldSubscription, at evident: [Int], entry: Int?) {
        let evidence = evident.map { history.transactions[$0] }
        var positions = evident
        let isRecorded = held.hasRedemptions
        var newer: [Transaction] = []
        for item in held.transactions.values {
            let transaction = view.transaction(item)
            if let index = positions.first(where: { history.transactions[$0].isCopy(of: transaction) }) {
                guard item.asOf > history.transactions[index].signedDate ?? asOf else {
                    if isRecorded { history.recordedTransactions.append(transaction) }
                    continue
                }
                history.transactions[index] = transaction
            } else {
                guard item.asOf > asOf || isHidden(transaction, in: evidence) else {
                    if isRecorded { history.recordedTransactions.append(transaction) }
                    continue
                }
                positions.append(history.transactions.count)
                history.transactions.append(transaction)
            }
            guard item.asOf > asOf || history.coverage == .partial else { continue }
            newer.append(transaction)
        }
        history.recordedTransactions += held.shown.values
        if !newer.isEmpty { note(newer, of: held, at: positions) }
        updateEntry(at: entry, by: held, evidence: evidence, newer: newer)
    }

    /// Whether evidence of this kind may leave the transaction out: then its lack is no sign.
    private func isHidden(_ transaction: Transaction, in evidence: [Transaction]) -> Bool {
        switch history.coverage {
        case .complete: false
        case .oneSubscription: true
        case .newestTransactions: evidence.contains { Transaction.isOlder(transaction, $0) }
        case .partial: true
        }
    }

    private mutating func updateEntry(
        at index: Int?,
        by held: HeldSubscription,
        evidence: [Transaction],
        newer: [Transaction]
    ) {
        let signedDate = index.flatMap { history.renewals?[$0].signedDate }
        let isUnsaid = signedDate == nil && history.coverage == .partial
        let date = signedDate ?? (isUnsaid ? evidence.compactMap(\.signedDate).max() : nil) ?? asOf
        if let renewal = held.renewal,
            renewal.asOf > date || isUnsaid && isLastWord(renewal, beside: evidence)
        {
            if let index { history.renewals?.remove(at: index) }
            if let entry = held.entry { history.renewals = (history.renewals ?? []) + [entry] }
            if renewal.asOf > date { note(renewal.asOf, of: held) }
        } else if !newer.isEmpty, let entry = held.standIn {
            if let index {
                // The evidence was signed before the purchase.
                let isOlder = newer.contains { $0.isBought(since: date) && $0.signedDate.map { $0 > date } ?? false }
                if isOlder { history.renewals?[index] = entry }
            } else {
                history.renewals = (history.renewals ?? []) + [entry]
            }
        }
    }

    /// Whether a held renewal info still is the last word on the renewal, beside later transactions that say nothing of
    /// it.
    ///
    /// A transaction that is signed again, as a device does whenever it is asked, is no news of a grace period.
    private func isLastWord(_ renewal: Held<RenewalInfo?>, beside evidence: [Transaction]) -> Bool {
        renewal.value != nil && oldest.map { renewal.asOf >= $0 } ?? true
            && !evidence.contains { $0.isBought(since: renewal.asOf) }
    }

    /// Notes transactions that were taken, where the subscription's state rests on one of them.
    private mutating func note(_ taken: [Transaction], of held: HeldSubscription, at positions: [Int]) {
        guard let newest = Holdings.Holding.newest(of: positions.map { history.transactions[$0] }),
            let date = taken.first(where: newest.isCopy)?.signedDate
        else { return }
        note(date, of: held)
    }

    private mutating func note(_ date: Timestamp, of held: HeldSubscription, isWhole: Bool = false) {
        let id = held.identity.originalTransactionId
        let known = history.heldShares[id]?.asOf ?? date
        let isOverAge = isWhole && oldest.map { date < $0 } ?? false
        history.heldShares[id] = HeldShare(asOf: max(known, date), isWhole: isWhole, isOverAge: isOverAge)
    }
}

extension Transaction {
    func isCopy(of other: Transaction) -> Bool {
        guard originalTransactionId == other.originalTransactionId else { return false }
        guard let transactionId, let theirs = other.transactionId else { return purchaseDate == other.purchaseDate }
        return transactionId == theirs
    }
}

/// The part of a history about one subscription that was taken from held state.
struct HeldShare: Equatable {
    /// Apple's clock at the newest of it that decides.
    var asOf: Timestamp
    /// Whether the evidence does not name the subscription, so that all of it was held.
    var isWhole: Bool
    /// Whether all of it was held, and is older than held state may be: it makes nobody eligible.
    var isOverAge = false
}

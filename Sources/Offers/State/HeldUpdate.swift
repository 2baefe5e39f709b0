/// Puts held state over evidence, where it is newer.
struct HeldUpdate {
    /// The evidence, with what was taken so far.
    private(set) var history: SubscriptionHistory
    private let asOf: Timestamp
    private let view: AccountView
    private let oldest: Timestamp?
    private var places: ToldPlaces

    /// Starts with the evidence as it came.
    ///
    /// - Parameters:
    ///   - history: The evidence.
    ///   - asOf: Its date.
    ///   - subscriptions: What is held and will be taken.
    ///   - view: The account of the request.
    ///   - oldest: Since when a held renewal info counts beside a later transaction that says nothing of the renewal;
    ///     `nil` however old it is.
    init(
        _ history: SubscriptionHistory,
        asOf: Timestamp,
        by subscriptions: [HeldSubscription],
        for view: AccountView,
        since oldest: Timestamp?
    ) {
        self.history = history
        self.asOf = asOf
        self.view = view
        self.oldest = oldest
        places = ToldPlaces(history, of: subscriptions)
    }

    /// Takes what is held of one subscription of the same app and environment, once.
    ///
    /// - Parameter held: What is held.
    mutating func take(_ held: HeldSubscription) {
        let id = held.identity.originalTransactionId
        let told = places.transactions(of: id, in: history)
        let entry = places.entry(of: id, in: history)
        if told.isEmpty, entry == nil { add(held) } else { update(by: held, told: told, entry: entry) }
    }

    /// Adds another subscription of the account.
    private mutating func add(_ held: HeldSubscription) {
        guard let digest = view.digest, let tie = held.accounts[digest] else { return }
        guard tie != .redeemed, let date = held.asOf, date > asOf else {
            // It says nothing new of what the customer has, but an offer that was redeemed stays redeemed.
            history.otherRedemptions += held.redemptions
            return
        }
        history.transactions += held.transactions.values.map(view.transaction)
        history.recordedTransactions += held.shown.values
        if let entry = held.entry { history.renewals = (history.renewals ?? []) + [entry] }
        note(date, of: held, isWhole: true)
    }

    /// Updates a subscription that the evidence names, by the positions of its transactions and its entry.
    private mutating func update(by held: HeldSubscription, told positions: [Int], entry: Int?) {
        let told = positions.map { history.transactions[$0] }
        var positions = positions
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
                guard item.asOf > asOf || isHidden(transaction, among: told) else {
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
        updateEntry(at: entry, by: held, told: told, newer: newer)
    }

    /// Whether evidence of this kind may leave the transaction out: then it is no sign that it is not there.
    private func isHidden(_ transaction: Transaction, among told: [Transaction]) -> Bool {
        switch history.coverage {
        case .complete: false
        case .oneSubscription: true
        case .newestTransactions: told.contains { Transaction.isOlder(transaction, $0) }
        case .partial: true
        }
    }

    private mutating func updateEntry(
        at index: Int?,
        by held: HeldSubscription,
        told: [Transaction],
        newer: [Transaction]
    ) {
        let signedDate = index.flatMap { history.renewals?[$0].signedDate }
        let isUnsaid = signedDate == nil && history.coverage == .partial
        let date = signedDate ?? (isUnsaid ? told.compactMap(\.signedDate).max() : nil) ?? asOf
        if let renewal = held.renewal,
            renewal.asOf > date || isUnsaid && isLastWord(renewal, beside: told)
        {
            if let index {
                history.renewals?.remove(at: index)
                places.noteRemoval(at: index)
            }
            if let entry = held.entry { history.renewals = (history.renewals ?? []) + [entry] }
            if renewal.asOf > date { note(renewal.asOf, of: held) }
        } else if !newer.isEmpty, let entry = held.standIn {
            if let index {
                // What the evidence says of the renewal was said before the purchase.
                let isOlder = newer.contains { $0.isBought(since: date) && $0.signedDate.map { $0 > date } ?? false }
                if isOlder { history.renewals?[index] = entry }
            } else {
                history.renewals = (history.renewals ?? []) + [entry]
            }
        }
    }

    /// Whether a held renewal info still is the last that anybody said of the renewal, beside later transactions that say
    /// nothing of it: a transaction that is signed again, as a device does whenever it is asked, is no news of a grace
    /// period.
    private func isLastWord(_ renewal: Held<RenewalInfo?>, beside told: [Transaction]) -> Bool {
        renewal.value != nil && oldest.map { renewal.asOf >= $0 } ?? true
            && !told.contains { $0.isBought(since: renewal.asOf) }
    }

    /// Notes transactions that were taken, where one of them is what the subscription's state rests on.
    private mutating func note(_ taken: [Transaction], of held: HeldSubscription, at positions: [Int]) {
        guard let newest = Subscription.newest(of: positions.map { history.transactions[$0] }),
            let date = taken.first(where: newest.isCopy)?.signedDate
        else { return }
        note(date, of: held)
    }

    private mutating func note(_ date: Timestamp, of held: HeldSubscription, isWhole: Bool = false) {
        let id = held.identity.originalTransactionId
        let known = history.heldShares[id]?.asOf ?? date
        history.heldShares[id] = HeldShare(asOf: max(known, date), isWhole: isWhole)
    }
}

extension Transaction {
    /// Whether both are copies of one transaction.
    func isCopy(of other: Transaction) -> Bool {
        guard originalTransactionId == other.originalTransactionId else { return false }
        guard let transactionId, let theirs = other.transactionId else { return purchaseDate == other.purchaseDate }
        return transactionId == theirs
    }
}

/// Puts held state over evidence, where it is newer.
struct HeldUpdate {
    /// The evidence, with what was taken so far.
    private(set) var history: SubscriptionHistory
    private let asOf: Timestamp
    private let source: StateSource
    private let view: AccountView
    private let oldest: Timestamp?
    private var places: ToldPlaces

    /// Starts with the evidence as it came.
    ///
    /// - Parameters:
    ///   - history: The evidence.
    ///   - asOf: Its date.
    ///   - subscriptions: What is held and will be taken.
    ///   - source: Who said it.
    ///   - view: The account of the request.
    ///   - oldest: Since when a held renewal info counts beside a later transaction that says nothing of the renewal;
    ///     `nil` however old it is.
    init(
        _ history: SubscriptionHistory,
        asOf: Timestamp,
        by subscriptions: [HeldSubscription],
        from source: StateSource,
        for view: AccountView,
        since oldest: Timestamp?
    ) {
        self.history = history
        self.asOf = asOf
        self.source = source
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

    /// Whether what is held may be put over the evidence.
    private func counts<Value>(_ held: Held<Value>) -> Bool { held.source.isApples || !source.isApples }

    /// Adds another subscription of the account.
    private mutating func add(_ held: HeldSubscription) {
        guard let digest = view.digest, held.accounts[digest] != nil else { return }
        let newer = held.transactions.filter { counts($1) && !held.unconfirmed.contains($0) }.values
        let renewed = held.renewal.flatMap { counts($0) ? $0.asOf : nil }
        guard let date = (newer.map(\.asOf) + [renewed].compactMap(\.self)).max(), date > asOf else {
            // It says nothing new of what the customer has, but an offer that was redeemed stays redeemed.
            history.otherRedemptions += held.redemptions
            return
        }
        history.transactions += newer.map(view.transaction)
        if held.isRecorded {
            // An offer that was redeemed stays redeemed, whoever told of it.
            let others = held.transactions.filter { !counts($1) || held.unconfirmed.contains($0) }.values
            history.recordedTransactions += others.map(view.transaction)
        }
        if let entry = held.entry { history.renewals = (history.renewals ?? []) + [entry] }
        note(date, of: held, isWhole: true)
    }

    /// Updates a subscription that the evidence names, by the positions of its transactions and its entry.
    private mutating func update(by held: HeldSubscription, told positions: [Int], entry: Int?) {
        let told = positions.map { history.transactions[$0] }
        var positions = positions
        let isRecorded = held.isRecorded
        let leftOut = leftOut(of: held)
        var newer: [Transaction] = []
        for (key, item) in held.transactions {
            let transaction = view.transaction(item)
            guard counts(item), !leftOut.contains(key) else {
                if isRecorded, !told.contains(where: transaction.isCopy) {
                    history.recordedTransactions.append(transaction)
                }
                continue
            }
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
        if !newer.isEmpty { note(newer, of: held, at: positions) }
        updateEntry(at: entry, by: held, leavingOut: leftOut, told: told, newer: newer)
    }

    /// The transactions that clients alone told of, where Apple told anything since the evidence was made.
    private func leftOut(of held: HeldSubscription) -> [String] {
        guard !held.unconfirmed.isEmpty else { return [] }
        let isTold =
            held.renewal.map { $0.source.isApples && $0.asOf > asOf } == true
            || held.transactions.values.contains { $0.source.isApples && $0.asOf > asOf }
        return isTold ? held.unconfirmed : []
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
        leavingOut leftOut: [String],
        told: [Transaction],
        newer: [Transaction]
    ) {
        let signedDate = index.flatMap { history.renewals?[$0].signedDate }
        let isUnsaid = signedDate == nil && history.coverage == .partial
        let date = signedDate ?? (isUnsaid ? told.compactMap(\.signedDate).max() : nil) ?? asOf
        if let renewal = held.renewal, counts(renewal),
            renewal.asOf > date || isUnsaid && isLastWord(renewal, beside: told)
        {
            if let index {
                history.renewals?.remove(at: index)
                places.noteRemoval(at: index)
            }
            if let entry = held.entry(leavingOut: leftOut) { history.renewals = (history.renewals ?? []) + [entry] }
            if renewal.asOf > date { note(renewal.asOf, of: held) }
        } else if !newer.isEmpty, let entry = held.standIn(leavingOut: leftOut) {
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

extension HeldSubscription {
    /// Whether a promotional offer was redeemed, as far as is held.
    fileprivate var isRecorded: Bool { transactions.values.contains { $0.value.offer?.catalogId != nil } }
}

extension Transaction {
    /// Whether both are copies of one transaction.
    func isCopy(of other: Transaction) -> Bool {
        guard originalTransactionId == other.originalTransactionId else { return false }
        guard let transactionId, let theirs = other.transactionId else { return purchaseDate == other.purchaseDate }
        return transactionId == theirs
    }
}

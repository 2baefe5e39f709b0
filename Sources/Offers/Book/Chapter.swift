/// What Apple said of one subscription, and redemptions of it that clients showed.
///
/// Chapters of one subscription are joined in any order, and as often as one likes, with the same outcome; of accounts
/// that only showed evidence, those that came first stay.
package struct Chapter: Equatable, Sendable {
    /// How many transactions are stored: the last that were bought.
    ///
    /// Of those before them as many at the most are stored as well, where a promotional offer's run began or ended, so
    /// that redemptions stay on record. So are as many redemptions that clients showed.
    package static let mostTransactions = 32
    /// How many accounts are held that presented the subscription's evidence, and how many that showed a redemption.
    package static let mostPresenters = 8
    /// How many other identifiers of one subscription are held, and how many steps from one to the next are made.
    package static let mostLinked = 16
    /// How many accounts are held whose purchases no longer are.
    package static let mostFormerOwners = 8

    /// Without an identifier of the first purchase where an old answer's entry lacks it.
    package internal(set) var identity: SubscriptionIdentity
    /// Each transaction once; sorted by their keys in what is stored, otherwise in no order that counts.
    package internal(set) var transactions: [Statement<Transaction>] = []
    /// That nothing was said is `nil`; a statement of `nil` says that there is no entry of `pending_renewal_info`.
    package internal(set) var renewal: Statement<RenewalInfo?>?
    /// Redemptions that clients showed and Apple did not: the first transaction of each.
    ///
    /// Each ends where the last time under its offer does.
    package internal(set) var shown: [Transaction] = []
    /// Offers that were taken for a later renewal, each with the first date at which Apple said so.
    package internal(set) var accepted: [AcceptedOffer: Timestamp] = [:]
    package private(set) var accounts: [AccountDigest: AccountTie] = [:]
    /// Other identifiers that the same subscription has, or had: its neighbours, of which each leads to the next.
    package internal(set) var linked: Set<String> = []
    /// When the App Store itself last spoke of it, in an answer or a notification; `nil` where only clients did.
    package internal(set) var confirmed: Timestamp?
    /// Whether the evidence of the request names it; never stored.
    var isEvident = false

    package init(
        _ identity: SubscriptionIdentity,
        transactions: [Statement<Transaction>] = [],
        renewal: Statement<RenewalInfo?>? = nil,
        shown: [Transaction] = [],
        accepted: [AcceptedOffer: Timestamp] = [:],
        accounts: [AccountDigest: AccountTie] = [:],
        linked: Set<String> = [],
        confirmed: Timestamp? = nil
    ) {
        self.identity = identity
        self.renewal = renewal
        self.accepted = accepted
        self.accounts = accounts
        self.confirmed = confirmed
        link(linked)
        for statement in transactions { add(statement) }
        for transaction in shown { add(shown: transaction) }
    }

    /// The identifier of its first purchase; `nil` where the evidence does not say.
    package var id: String? { identity.originalTransactionId.isEmpty ? nil : identity.originalTransactionId }

    /// Identifiers of its customer's: of the subscription, as it is and was, of its purchases, and of the download of the app.
    package var customerIds: Set<String> {
        transactions.reduce(into: linked.union([id].compactMap(\.self))) { ids, row in
            let purchase = row.content
            let named = [purchase.transactionId, purchase.appTransactionId, purchase.previousOriginalTransactionId]
            ids.formUnion(named.compactMap(\.self))
        }
    }

    /// Whether Apple said anything of it: else it is nothing but redemptions that clients showed.
    package var hasState: Bool { renewal != nil || !transactions.isEmpty }

    /// When Apple last spoke of it.
    package var asOf: Timestamp? {
        var newest = renewal?.asOf
        for row in transactions.indices { newest = max(newest ?? transactions[row].asOf, transactions[row].asOf) }
        return newest
    }

    // MARK: Joining

    /// Joins another chapter of the same subscription.
    package mutating func join(_ other: Chapter) {
        for statement in other.transactions { add(statement) }
        if let theirs = other.renewal { add(renewal: theirs) }
        for transaction in other.shown { add(shown: transaction) }
        if !other.accepted.isEmpty { accepted.merge(other.accepted, uniquingKeysWith: min) }
        link(other.linked)
        if let theirs = other.confirmed { confirmed = confirmed.map { max($0, theirs) } ?? theirs }
        if accounts.isEmpty {
            accounts = other.accounts
        } else {
            for (account, tie) in other.accounts.sorted(by: { $0.key.precedes($1.key) }) { add(account, tie) }
        }
        isEvident = isEvident || other.isEvident
        leaveOutShown()
    }

    /// The stored chapter, with what another one says.
    package func joining(_ other: Chapter) -> Chapter {
        var joined = self
        joined.join(other)
        joined.bound()
        return joined
    }

    mutating func add(_ statement: Statement<Transaction>) {
        if let place = transactions.firstIndex(where: { $0.content.isNamed(as: statement.content) }) {
            // A client's copy takes back no redemption of which Apple spoke.
            let isClients = statement.source == .client || transactions[place].source == .client
            let copies = isClients ? [transactions[place], statement] : []
            transactions[place].join(statement)
            if isClients, !transactions[place].content.isOwnPurchase {
                shown += copies.lazy.filter { $0.source != .client && $0.content.isOwnPurchase }.map(\.content)
            }
        } else {
            transactions.append(statement)
        }
    }

    mutating func add(renewal statement: Statement<RenewalInfo?>) {
        if renewal == nil { renewal = statement } else { renewal?.join(statement) }
    }

    private mutating func add(shown transaction: Transaction) {
        guard let place = shown.firstIndex(where: { $0.isNamed(as: transaction) }) else {
            shown.append(transaction)
            return
        }
        // The later end has more of the time under the offer.
        if Transaction.precedes(shown[place], transaction) { shown[place] = transaction }
    }

    /// Leaves out redemptions that clients showed, of transactions that Apple spoke of.
    private mutating func leaveOutShown() {
        guard !shown.isEmpty else { return }
        shown.removeAll { redemption in
            transactions.contains { $0.source != .client && $0.content.isNamed(as: redemption) }
        }
    }

    private mutating func link(_ ids: Set<String>) {
        guard !ids.isEmpty else { return }
        linked.formUnion(ids)
        linked.remove(identity.originalTransactionId)
        if linked.count > Self.mostLinked { linked = Set(linked.sorted().prefix(Self.mostLinked)) }
    }

    /// Ties an account to the subscription, where there is room: earlier accounts stay, unless they came long ago.
    private mutating func add(_ account: AccountDigest, _ tie: AccountTie) {
        if let known = accounts[account] {
            let stronger = known.orStronger(tie)
            if stronger != known { accounts[account] = stronger }
            return
        }
        switch tie {
        case .bought: break
        case .redeemed:
            guard accounts.values.count(where: { $0 == .redeemed }) < Self.mostPresenters else { return }
        case .presented(let moment):
            let presenters = accounts.compactMap { account, tie -> (account: AccountDigest, at: Timestamp)? in
                if case .presented(let moment) = tie { (account, moment) } else { nil }
            }
            if presenters.count >= Self.mostPresenters {
                let oldest = presenters.min { left, right in
                    left.at == right.at ? left.account.precedes(right.account) : left.at < right.at
                }
                guard let oldest, oldest.at.adding(days: AccountTie.keptDays) < moment else { return }
                accounts[oldest.account] = nil
            }
        }
        accounts[account] = tie
    }

    // MARK: Storing

    /// The part that is stored: bounded, and in one order.
    package consuming func bounded() -> Chapter {
        bound()
        return self
    }

    private mutating func bound() {
        isEvident = false
        leaveOutShown()
        if shown.count > Self.mostTransactions {
            shown.sort { Transaction.isOlder($1, $0) }
            shown.removeLast(shown.count - Self.mostTransactions)
        }
        shown.sort { $0.heldKey < $1.heldKey }
        if transactions.count > Self.mostTransactions {
            transactions.sort { Transaction.isOlder($1.content, $0.content) }
            let turns = Self.turns(transactions.dropFirst(Self.mostTransactions))
            transactions.removeLast(transactions.count - Self.mostTransactions)
            transactions += turns
        }
        transactions.sort { $0.content.heldKey < $1.content.heldKey }
        if accepted.count > AcceptedOffer.most {
            let newest = accepted.sorted(by: AcceptedOffer.isEarlier).suffix(AcceptedOffer.most)
            accepted = Dictionary(uniqueKeysWithValues: newest.map { ($0, $1) })
        }
        dropFormerOwners()
    }

    /// Whether it says no more than an earlier value that was joined into it, but for dates within an hour.
    package func isNoNews(after earlier: Chapter) -> Bool {
        guard transactions.count == earlier.transactions.count, accounts.count == earlier.accounts.count,
            shown == earlier.shown, accepted == earlier.accepted, (renewal == nil) == (earlier.renewal == nil),
            linked == earlier.linked
        else { return false }
        if let confirmed, earlier.confirmed.map({ confirmed > $0.adding(seconds: 3600) }) ?? true { return false }
        if let renewal, let before = earlier.renewal,
            renewal.asOf > before.asOf.adding(seconds: 3600)
                || renewal.content != before.content
        {
            return false
        }
        return accounts.allSatisfy { account, tie in earlier.accounts[account].map(tie.isNoNews) ?? false }
            && zip(transactions, earlier.transactions).allSatisfy { said, before in
                said.content.isNamed(as: before.content) && said.isNoNews(after: before)
            }
    }

    /// The accounts that an earlier value names, and this one no longer does: their marks have to go.
    ///
    /// Of them it is no longer known that all their subscriptions are held.
    package func accountsLetGo(since earlier: Chapter?) -> [AccountDigest] {
        earlier?.accounts.keys.filter { accounts[$0] == nil } ?? []
    }

    /// The value without an account; `nil` when all of it was bought for the account, or is nobody else's.
    package func forgetting(_ account: AccountDigest) -> Chapter? {
        guard accounts[account] != .bought else { return nil }
        var rest = self
        rest.accounts[account] = nil
        return rest.accounts.isEmpty ? nil : rest
    }

    /// Drops accounts that bought nothing which is held, but for the first by their digests.
    ///
    /// Whether an account is among the first, or bought a held transaction, does not depend on the order of joining.
    private mutating func dropFormerOwners() {
        guard accounts.count > Self.mostFormerOwners else { return }
        let owners = accounts.filter { $0.value == .bought }.map(\.key)
        guard owners.count > Self.mostFormerOwners else { return }
        let named = Set(transactions.compactMap(\.content.appAccountToken))
        let sorted = owners.sorted { $0.precedes($1) }
        for owner in sorted.dropFirst(Self.mostFormerOwners) where !named.contains(owner.pseudonym) {
            accounts[owner] = nil
        }
    }

    /// The transactions at which a redemption of a promotional offer begins or ends, of a list with the newest first.
    private static func turns(_ newestFirst: ArraySlice<Statement<Transaction>>) -> ArraySlice<Statement<Transaction>> {
        var run = RedemptionRun()
        var turns: [Statement<Transaction>] = []
        // The last one under an offer: its end shows whether the next one renews it.
        var last: Statement<Transaction>?
        for item in newestFirst.reversed() where item.content.isOwnPurchase {
            let isTurn = run.turns(at: item.content)
            if isTurn {
                last.map { turns.append($0) }
                turns.append(item)
            }
            // The purchases before it, which show that it renews them, are let go.
            last = isTurn || run.offerId == nil ? nil : item
            last?.content.reason = item.content.reason ?? .renewal
        }
        last.map { turns.append($0) }
        return turns.suffix(mostTransactions)
    }
}

extension AccountDigest {
    fileprivate func precedes(_ other: AccountDigest) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

extension Transaction {
    /// The key among the transactions of its subscription: old answers may lack the identifier.
    var heldKey: String {
        transactionId ?? "bought \(purchaseDate?.millisecondsSince1970 ?? expiresDate?.millisecondsSince1970 ?? 0)"
    }

    /// Whether both are the same transaction of one subscription.
    func isNamed(as other: Transaction) -> Bool {
        guard let transactionId, let theirs = other.transactionId else { return heldKey == other.heldKey }
        return transactionId == theirs
    }
}

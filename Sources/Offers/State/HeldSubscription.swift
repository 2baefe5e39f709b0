/// The held state of one subscription: Apple's newest word on each part, and redemptions that clients showed.
///
/// Values of one subscription can be merged in any order, and as often as one likes, with the same outcome; of accounts
/// that only showed evidence, those that came first stay.
package struct HeldSubscription: Equatable, Sendable {
    /// How many transactions are held: the last that were bought.
    ///
    /// Of those before them as many at the most are held as well, where a promotional offer's run began or ended, so
    /// that redemptions stay on record. So are as many redemptions that clients showed.
    package static let mostTransactions = 32
    /// How many accounts are held that presented the subscription's evidence, and how many that showed a redemption.
    package static let mostPresenters = 8
    /// How many other identifiers of one subscription are held, and how many steps from one to the next are made.
    package static let mostLinked = 16
    /// How many accounts are held whose purchases no longer are.
    package static let mostFormerOwners = 8

    package let identity: SubscriptionIdentity
    /// By their identifiers; an account's token in them is its pseudonym.
    package private(set) var transactions: [String: Held<Transaction>] = [:]
    /// A held `nil` says that there is no entry of `pending_renewal_info`; no held value, that nobody said.
    package private(set) var renewal: Held<RenewalInfo?>?
    /// Redemptions that clients showed and Apple did not, by the identifiers of their first transactions.
    ///
    /// Each ends where the last time under its offer does.
    package private(set) var shown: [String: Transaction] = [:]
    /// Offers that were taken for a later renewal, each with the first date at which Apple said so.
    package private(set) var accepted: [AcceptedOffer: Timestamp] = [:]
    package private(set) var accounts: [AccountDigest: AccountTie] = [:]
    /// Other identifiers that the same subscription has, or had: its neighbours, of which each leads to the next.
    package private(set) var linked: Set<String> = []
    /// When the App Store itself last spoke of it, in an answer or a notification; `nil` where only clients did.
    package private(set) var confirmed: Timestamp?

    package init(
        _ identity: SubscriptionIdentity,
        transactions: [Held<Transaction>] = [],
        renewal: Held<RenewalInfo?>? = nil,
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
        for held in transactions { add(held) }
        for transaction in shown { add(shown: transaction) }
        prune()
    }

    /// Learns from another value; one of another subscription changes nothing.
    package mutating func merge(_ other: HeldSubscription) {
        guard other.identity == identity else { return }
        for held in other.transactions.values { add(held) }
        for transaction in other.shown.values { add(shown: transaction) }
        if !other.accepted.isEmpty { accepted.merge(other.accepted, uniquingKeysWith: min) }
        if let theirs = other.renewal {
            renewal = renewal.map { $0.orNewer(theirs, isLess: RenewalInfo?.precedes) } ?? theirs
        }
        link(other.linked)
        if let theirs = other.confirmed { confirmed = confirmed.map { max($0, theirs) } ?? theirs }
        for (account, tie) in other.accounts.sorted(by: { $0.key.precedes($1.key) }) { add(account, tie) }
        prune()
    }

    /// Whether Apple said anything of it: else it is nothing but redemptions that clients showed.
    package var hasState: Bool { renewal != nil || !transactions.isEmpty }

    /// Whether it says no more than an earlier value that was merged into it, but for dates within an hour.
    package func isNoNews(after earlier: HeldSubscription) -> Bool {
        guard transactions.count == earlier.transactions.count, accounts.count == earlier.accounts.count,
            shown == earlier.shown, accepted == earlier.accepted, (renewal == nil) == (earlier.renewal == nil),
            linked == earlier.linked
        else { return false }
        if let confirmed, earlier.confirmed.map({ confirmed > $0.adding(seconds: 3600) }) ?? true { return false }
        if let renewal, let before = earlier.renewal {
            let isSame = renewal.isNoNews(after: before) { left, right in
                var left = left
                left?.signedDate = right?.signedDate
                return left == right
            }
            guard isSame else { return false }
        }
        return accounts.allSatisfy { account, tie in
            earlier.accounts[account].map(tie.isNoNews) ?? false
        }
            && transactions.allSatisfy { key, held in
                guard let before = earlier.transactions[key] else { return false }
                return held.isNoNews(after: before) { left, right in
                    if left == right { return true }
                    var left = left
                    left.signedDate = right.signedDate
                    return left == right
                }
            }
    }

    /// The accounts that an earlier value names, and this one no longer does: their marks have to go.
    ///
    /// Of them it is no longer known that all their subscriptions are held.
    package func accountsLetGo(since earlier: HeldSubscription?) -> [AccountDigest] {
        earlier?.accounts.keys.filter { accounts[$0] == nil } ?? []
    }

    /// When Apple last spoke of it.
    package var asOf: Timestamp? {
        transactions.values.reduce(renewal?.asOf) { newest, held in newest.map { max($0, held.asOf) } ?? held.asOf }
    }

    private mutating func link(_ ids: Set<String>) {
        linked.formUnion(ids)
        linked.remove(identity.originalTransactionId)
        if linked.count > Self.mostLinked { linked = Set(linked.sorted().prefix(Self.mostLinked)) }
    }

    private mutating func add(_ held: Held<Transaction>) {
        let key = held.value.heldKey
        guard let known = transactions[key] else {
            transactions[key] = held
            return
        }
        if known == held { return }
        transactions[key] = known.orNewer(held, isLess: Transaction.precedes).changed { newer in
            for copy in [known.value, held.value] { newer.completeHeld(by: copy) }
        }
    }

    private mutating func add(shown transaction: Transaction) {
        let key = transaction.heldKey
        guard let known = shown[key] else {
            shown[key] = transaction
            return
        }
        // The later end has more of the time under the offer.
        if Transaction.precedes(known, transaction) { shown[key] = transaction }
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

    /// Drops purchases before the last transactions, and redemptions that clients showed of transactions that Apple
    /// spoke of.
    private mutating func prune() {
        if !shown.isEmpty {
            shown = shown.filter { transactions[$0.key] == nil }
            if shown.count > Self.mostTransactions {
                let newest = shown.sorted { Transaction.isOlder($1.value, $0.value) }.prefix(Self.mostTransactions)
                shown = Dictionary(uniqueKeysWithValues: newest.map { ($0, $1) })
            }
        }
        if transactions.count > Self.mostTransactions {
            let newest = transactions.sorted { Transaction.isOlder($1.value.value, $0.value.value) }
            let kept = newest.prefix(Self.mostTransactions) + Self.turns(newest.dropFirst(Self.mostTransactions))
            transactions = Dictionary(uniqueKeysWithValues: kept.map { ($0, $1) })
        }
        if accepted.count > AcceptedOffer.most {
            let newest = accepted.sorted(by: AcceptedOffer.isEarlier).suffix(AcceptedOffer.most)
            accepted = Dictionary(uniqueKeysWithValues: newest.map { ($0, $1) })
        }
        dropFormerOwners()
    }

    /// Leaves out redemptions that clients showed, of transactions that Apple spoke of.
    mutating func leaveOutRedemptions(of reported: [Transaction]) {
        shown = shown.filter { redemption in !reported.contains { $0.isCopy(of: redemption.value) } }
    }

    /// Drops accounts that bought nothing which is held, but for the first by their digests.
    ///
    /// Whether an account is among the first, or bought a held transaction, does not depend on the order of merging.
    private mutating func dropFormerOwners() {
        guard accounts.count > Self.mostFormerOwners else { return }
        let owners = accounts.filter { $0.value == .bought }.map(\.key)
        guard owners.count > Self.mostFormerOwners else { return }
        let named = Set(transactions.values.compactMap(\.value.appAccountToken))
        let sorted = owners.sorted { $0.precedes($1) }
        for owner in sorted.dropFirst(Self.mostFormerOwners) where !named.contains(owner.pseudonym) {
            accounts[owner] = nil
        }
    }

    /// The transactions at which a redemption of a promotional offer begins or ends, of a list with the newest first.
    private static func turns(
        _ newestFirst: ArraySlice<(key: String, value: Held<Transaction>)>
    ) -> ArraySlice<(key: String, value: Held<Transaction>)> {
        var run = RedemptionRun()
        var turns: [(key: String, value: Held<Transaction>)] = []
        // The last one under an offer: its end shows whether the next one renews it.
        var last: (key: String, value: Held<Transaction>)?
        for item in newestFirst.reversed() where item.value.value.isOwnPurchase {
            let isTurn = run.turns(at: item.value.value)
            if isTurn {
                last.map { turns.append($0) }
                turns.append(item)
            }
            // The purchases before it, which show that it renews them, are let go.
            last =
                isTurn || run.offerId == nil
                ? nil : (item.key, item.value.changed { $0.reason = $0.reason ?? .renewal })
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

    fileprivate mutating func completeHeld(by copy: Transaction) {
        complete(by: copy)
        if ownership == .unknown(nil) { ownership = copy.ownership }
        if revocationDate != nil { revocation = revocation ?? copy.revocation }
        // An old answer's `in_app` has fewer members than its `latest_receipt_info`, and redemptions stay on record.
        if offer == nil, copy.offer?.catalogId != nil { offer = copy.offer }
    }

    /// Of two equally new copies of one transaction the one that is signed by itself is the newer.
    fileprivate static func precedes(_ left: Transaction, _ right: Transaction) -> Bool {
        guard left != right else { return false }
        guard (left.signedDate == nil) == (right.signedDate == nil) else { return left.signedDate == nil }
        // Of two owners the one counts that gives less away.
        guard (left.ownership == .purchased) == (right.ownership == .purchased) else {
            return left.ownership == .purchased
        }
        guard isOlder(left, right) == isOlder(right, left) else { return isOlder(left, right) }
        return left.orderedBytes.lexicographicallyPrecedes(right.orderedBytes)
    }
}

extension RenewalInfo? {
    /// Of two equally new ones the one that is signed by itself is the newer.
    static func precedes(_ left: RenewalInfo?, _ right: RenewalInfo?) -> Bool {
        guard let left, let right else { return left == nil && right != nil }
        guard left != right else { return false }
        guard (left.signedDate == nil) == (right.signedDate == nil) else { return left.signedDate == nil }
        let (asOf, bytes) = (Timestamp(millisecondsSince1970: 0), { Held<RenewalInfo?>($0, asOf: $1).orderedBytes })
        return bytes(left, asOf).lexicographicallyPrecedes(bytes(right, asOf))
    }
}

extension HeldSubscription {
    /// The value without an account; `nil` when all of it was bought for the account, or is nobody else's.
    package func forgetting(_ account: AccountDigest) -> HeldSubscription? {
        guard accounts[account] != .bought else { return nil }
        var rest = self
        rest.accounts[account] = nil
        return rest.accounts.isEmpty ? nil : rest
    }
}

/// What is held of one subscription: the newest that was said of each part, whoever said it.
///
/// Values of one subscription can be merged in any order, and as often as one likes, with the same outcome.
public struct HeldSubscription: Equatable, Sendable {
    /// How many transactions are held: the last that were bought.
    ///
    /// Of those before them as many at the most are held as well: where a promotional offer's run began or ended, so
    /// that what was redeemed stays on record.
    public static let mostTransactions = 32
    /// How many accounts are held that presented the subscription's evidence: the last that did.
    public static let mostPresenters = 8
    /// How many accounts are held that bought what is no longer held, at the most.
    public static let mostFormerOwners = 8

    /// Which subscription it is.
    public let identity: SubscriptionIdentity
    /// Its transactions, by their identifiers; an account's token in them is its pseudonym.
    public private(set) var transactions: [String: Held<Transaction>] = [:]
    /// Its renewal info; a held `nil` says that there is no entry of `pending_renewal_info`, none held that nobody said.
    public private(set) var renewal: Held<RenewalInfo?>?
    /// The transactions, by their identifiers, that clients alone told of and that were bought since the last that Apple
    /// told of: beside what Apple said they count for redemptions alone.
    private(set) var unconfirmed: [String] = []
    /// The accounts that it belongs to.
    public private(set) var accounts: [AccountDigest: AccountTie] = [:]
    /// The customers of accounts, by whom limits count, where they are another text than the account.
    public private(set) var customers: [AccountDigest: AccountDigest] = [:]
    /// When this service learnt of it last, by the server's clock.
    public private(set) var learntAt: Timestamp

    /// Holds what was learnt.
    ///
    /// - Parameters:
    ///   - identity: Which subscription it is.
    ///   - transactions: Its transactions.
    ///   - renewal: Its renewal info.
    ///   - accounts: The accounts that it belongs to.
    ///   - customers: The customers of accounts, where they are another text than the account.
    ///   - learntAt: When this service learnt of it.
    public init(
        _ identity: SubscriptionIdentity,
        transactions: [Held<Transaction>] = [],
        renewal: Held<RenewalInfo?>? = nil,
        accounts: [AccountDigest: AccountTie] = [:],
        customers: [AccountDigest: AccountDigest] = [:],
        learntAt: Timestamp
    ) {
        self.identity = identity
        self.learntAt = learntAt
        self.renewal = renewal
        self.accounts = accounts
        self.customers = customers
        for held in transactions { add(held) }
        prune()
    }

    /// Learns what another value of the same subscription knows.
    ///
    /// - Parameter other: The other value; one of another subscription changes nothing.
    public mutating func merge(_ other: HeldSubscription) {
        guard other.identity == identity else { return }
        for held in other.transactions.values { add(held) }
        if let theirs = other.renewal {
            renewal = renewal.map { $0.orNewer(theirs, isLess: RenewalInfo?.precedes) } ?? theirs
        }
        for (account, tie) in other.accounts { accounts[account] = accounts[account]?.orStronger(tie) ?? tie }
        for (account, customer) in other.customers { customers[account] = Self.larger(customers[account], customer) }
        learntAt = max(learntAt, other.learntAt)
        prune()
    }

    /// The accounts that an earlier value of the same subscription names, and this one no longer does.
    ///
    /// Of them it is no longer known what all their subscriptions are: their marks have to go.
    ///
    /// - Parameter earlier: The earlier value; `nil` where nothing was held.
    /// - Returns: Their digests.
    public func accountsLetGo(since earlier: HeldSubscription?) -> [AccountDigest] {
        earlier?.accounts.keys.filter { accounts[$0] == nil } ?? []
    }

    /// When Apple last told of it.
    public var asOf: Timestamp? {
        transactions.values.reduce(renewal?.asOf) { newest, held in newest.map { max($0, held.asOf) } ?? held.asOf }
    }

    private mutating func add(_ held: Held<Transaction>) {
        let key = held.value.heldKey
        guard let known = transactions[key] else {
            transactions[key] = held
            return
        }
        let newer = known.orNewer(held, isLess: Transaction.precedes)
        transactions[key] = newer.completed(by: known.value).completed(by: held.value)
            .underOffer(of: known).underOffer(of: held)
    }

    /// One of two customers of an account, whose pattern was changed: which one does not depend on their order.
    private static func larger(_ left: AccountDigest?, _ right: AccountDigest) -> AccountDigest {
        guard let left, right.bytes.lexicographicallyPrecedes(left.bytes) else { return right }
        return left
    }

    /// Drops what was bought before the last transactions, and the accounts that presented before the last.
    private mutating func prune() {
        if transactions.count > Self.mostTransactions {
            let newest = transactions.sorted { Transaction.isOlder($1.value.value, $0.value.value) }
            let kept = newest.prefix(Self.mostTransactions) + Self.turns(newest.dropFirst(Self.mostTransactions))
            transactions = Dictionary(uniqueKeysWithValues: kept.map { ($0, $1) })
        }
        noteUnconfirmed()
        dropFormerOwners()
        defer { customers = customers.filter { accounts[$0.key] != nil } }
        let presenters = accounts.compactMap { account, tie -> (AccountDigest, Timestamp)? in
            if case .presented(let moment) = tie { (account, moment) } else { nil }
        }
        guard presenters.count > Self.mostPresenters else { return }
        let newest = presenters.sorted { left, right in
            left.1 == right.1 ? right.0.bytes.lexicographicallyPrecedes(left.0.bytes) : left.1 > right.1
        }
        for (account, _) in newest.dropFirst(Self.mostPresenters) { accounts[account] = nil }
    }

    private mutating func noteUnconfirmed() {
        unconfirmed = []
        guard transactions.values.contains(where: { !$0.source.isApples }) else { return }
        let apples = transactions.values.filter(\.source.isApples).map(\.value)
        guard !apples.isEmpty || renewal?.source.isApples == true else { return }
        let newest = apples.max(by: Transaction.isOlder)
        unconfirmed = transactions.compactMap { key, held in
            let isSince = newest.map { Transaction.isOlder($0, held.value) } ?? true
            return isSince && !held.source.isApples ? key : nil
        }
        .sorted()
    }

    /// Drops accounts that bought nothing which is held, but for the first by their digests.
    ///
    /// Whether an account is among the first, or bought what is held, does not depend on the order of merging.
    private mutating func dropFormerOwners() {
        let owners = accounts.filter { $0.value == .bought }.map(\.key)
        guard owners.count > Self.mostFormerOwners else { return }
        let named = Set(transactions.values.compactMap(\.value.appAccountToken))
        let sorted = owners.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
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
        // The last one under an offer: by its end the next one is told to be a renewal, or none.
        var last: (key: String, value: Held<Transaction>)?
        for item in newestFirst.reversed() where !item.value.value.isFamilyShared {
            let isTurn = run.turns(at: item.value.value)
            if isTurn {
                last.map { turns.append($0) }
                turns.append(item)
            }
            last = isTurn || run.offerId == nil ? nil : (item.key, item.value.asRenewal)
        }
        last.map { turns.append($0) }
        return turns.suffix(mostTransactions)
    }
}

extension Held<Transaction> {
    /// The transaction with what another copy of it says where it says nothing itself: verifyReceipt never says as much as
    /// what Apple signs.
    fileprivate func completed(by copy: Transaction) -> Held<Transaction> {
        var transaction = value
        transaction.expiresDate = value.expiresDate ?? copy.expiresDate
        transaction.price = value.price ?? copy.price
        transaction.storefront = value.storefront ?? copy.storefront
        transaction.reason = value.reason ?? copy.reason
        transaction.billingPlan = value.billingPlan ?? copy.billingPlan
        transaction.isOfferSaid = value.isOfferSaid || copy.isOfferSaid
        if value.revocationDate != nil { transaction.revocation = value.revocation ?? copy.revocation }
        return Held(transaction, asOf: asOf, source: source)
    }

    /// The transaction as a renewal, where nobody said what it is: those before it, which show that, are let go.
    fileprivate var asRenewal: Held<Transaction> {
        guard value.reason == nil else { return self }
        var transaction = value
        transaction.reason = .renewal
        return Held(transaction, asOf: asOf, source: source)
    }

    /// The transaction with the promotional offer that another copy of it names, where it names none itself: an old
    /// answer's `in_app` has fewer members than its `latest_receipt_info`, and what was redeemed stays on record.
    ///
    /// What clients say is never put over what Apple said.
    fileprivate func underOffer(of copy: Held<Transaction>) -> Held<Transaction> {
        guard value.offer == nil, let offer = copy.value.offer, offer.catalogId != nil,
            copy.source.isApples || !source.isApples
        else { return self }
        var transaction = value
        transaction.offer = offer
        return Held(transaction, asOf: asOf, source: source)
    }
}

extension Transaction {
    /// By what a held transaction is told from others of its subscription: old answers may lack the identifier.
    var heldKey: String {
        transactionId ?? "bought \(purchaseDate?.millisecondsSince1970 ?? expiresDate?.millisecondsSince1970 ?? 0)"
    }

    /// Orders two copies of one transaction that are equally new.
    fileprivate static func precedes(_ left: Transaction, _ right: Transaction) -> Bool {
        guard isOlder(left, right) == isOlder(right, left) else { return isOlder(left, right) }
        return (left.appAccountToken?.lowercased ?? "") < (right.appAccountToken?.lowercased ?? "")
    }
}

extension RenewalInfo? {
    /// Orders two renewal infos that are equally new.
    fileprivate static func precedes(_ left: RenewalInfo?, _ right: RenewalInfo?) -> Bool {
        order(left).lexicographicallyPrecedes(order(right))
    }

    private static func order(_ info: RenewalInfo?) -> [String] {
        guard let info else { return [] }
        func flag(_ value: Bool?) -> String { value.map { $0 ? "on" : "off" } ?? "" }
        return [
            flag(info.autoRenewStatus), flag(info.commitmentAutoRenewStatus), info.hasExpirationIntent ? "1" : "0",
            info.isInBillingRetryPeriod ? "1" : "0", "\(info.gracePeriodExpiresDate?.millisecondsSince1970 ?? 0)",
            info.offer.map { "\($0.type)\($0.identifier)" } ?? "", info.productId ?? "",
            info.subscriptionGroupIdentifier ?? "", info.eligibleWinBackOfferIds.joined(separator: " "),
            info.status.map { "\($0.code.rawValue) \($0.asOf.millisecondsSince1970)" } ?? "",
        ]
    }
}

extension HeldSubscription {
    /// The value without an account.
    ///
    /// - Parameter account: The account that is to be forgotten.
    /// - Returns: What is left; `nil` when all of it goes: it was bought for the account, or is nobody else's.
    public func forgetting(_ account: AccountDigest) -> HeldSubscription? {
        guard accounts[account] != .bought else { return nil }
        var rest = self
        rest.accounts[account] = nil
        rest.customers[account] = nil
        return rest.accounts.isEmpty ? nil : rest
    }
}

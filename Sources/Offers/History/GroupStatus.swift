/// The status of a customer in one subscription group.
public enum GroupStatus: Equatable, Sendable {
    /// There is an entry of `pending_renewal_info` for the group; of several the one with the strongest state.
    case subscriber(Subscription)
    /// The group has transactions, but no entry.
    case noPendingRenewalInfo
    /// The evidence has neither entry nor transaction of the group.
    case neverSubscribed
    /// The evidence has an entry or a purchase of a subscription whose group cannot be determined, and none that is known
    /// to be of this group.
    case groupUnknown
    /// The evidence cannot be taken to mean that there is no entry: it has no list of entries, or shows only what its
    /// sender chose to show.
    case noEvidence
}

extension SubscriptionHistory {
    /// The customer's status in a group, or in the whole app, at Apple's clock.
    ///
    /// In the whole app every entry counts, and every subscription that was bought, also one whose group cannot be
    /// determined.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog, which knows the groups of its products.
    ///   - clock: Apple's clock, at which expiry and grace are judged unless held state of a subscription is newer.
    ///   - now: The server's clock; Apple's, unless said.
    /// - Returns: The status.
    public func status(
        inGroup groupId: String?,
        of app: App,
        at clock: Timestamp,
        now: Timestamp? = nil
    ) -> GroupStatus {
        subscriptions(inGroup: groupId, of: app, at: clock, now: now ?? clock).status
    }

    /// The customer's status in a group or the whole app, with the subscriptions that run beside the one that counts.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog.
    ///   - clock: Apple's clock.
    ///   - now: The server's clock.
    /// - Returns: What was found.
    func subscriptions(
        inGroup groupId: String?,
        of app: App,
        at clock: Timestamp,
        now: Timestamp
    ) -> StrongestSubscription {
        guard let renewals else { return StrongestSubscription(status: .noEvidence) }
        var found = StrongestSubscription()
        var someUnknown = false
        let lookup = EntryLookup(self, of: app)
        for renewal in renewals {
            if let groupId {
                guard let group = lookup.group(of: renewal) else {
                    someUnknown = true
                    continue
                }
                guard group == groupId else { continue }
            }
            let clocks = self.clocks(of: renewal, at: clock, now: now)
            found.consider(renewal, newest: lookup.newestTransaction(of: renewal), by: clocks)
        }
        if found.isSettled { return found }
        if someUnknown { return StrongestSubscription(status: .groupUnknown) }
        let bought = transactions.contains { transaction in
            let group = groupIdentifier(of: transaction, in: app)
            guard let groupId else { return group != nil || transaction.expiresDate != nil }
            return group == groupId
        }
        let status = withoutEntry(
            bought: bought,
            maybeBought: groupId != nil && hasSubscriptionOfUnknownGroup(in: app, by: lookup)
        )
        return StrongestSubscription(status: status)
    }

    /// The same as ``subscriptions(inGroup:of:at:now:)`` for one of many groups.
    func subscriptions(
        inGroup groupId: String,
        by index: GroupIndex,
        at clock: Timestamp,
        now: Timestamp
    ) -> StrongestSubscription {
        guard renewals != nil else { return StrongestSubscription(status: .noEvidence) }
        var found = StrongestSubscription()
        for renewal in index.entries(inGroup: groupId) {
            let clocks = self.clocks(of: renewal, at: clock, now: now)
            found.consider(renewal, newest: index.lookup.newestTransaction(of: renewal), by: clocks)
        }
        if found.isSettled { return found }
        if index.hasUnknownEntry { return StrongestSubscription(status: .groupUnknown) }
        let bought = !index.transactions(inGroup: groupId).isEmpty
        let status = withoutEntry(bought: bought, maybeBought: index.hasUnknownSubscription)
        return StrongestSubscription(status: status)
    }

    private func withoutEntry(bought: Bool, maybeBought: @autoclosure () -> Bool) -> GroupStatus {
        if bought { return .noPendingRenewalInfo }
        guard coverage.showsEverySubscription else { return .noEvidence }
        return maybeBought() ? .groupUnknown : .neverSubscribed
    }
}

/// The group that transactions tell of a subscription or of a product.
///
/// If they name different ones none is taken: which of them is true cannot be seen, and lists come in no order that
/// counts.
struct NamedGroup {
    /// The group's identifier; `nil` if none is named, or more than one.
    private(set) var identifier: String?
    /// Whether any is named.
    private(set) var isNamed = false

    /// Takes the group of one transaction into account.
    ///
    /// - Parameter other: The group; `nil` if the transaction names none.
    mutating func note(_ other: String?) {
        guard let other else { return }
        if !isNamed {
            (identifier, isNamed) = (other, true)
        } else if identifier != other {
            identifier = nil
        }
    }
}

/// The contents of a history by group, found in one pass for all groups.
///
/// One group is looked for through the whole lists, which is the fastest. Of many, as a request for a hundred offers may
/// ask for, each would cost as much again.
final class GroupIndex: Sendable {
    /// How many transactions and entries are few, so that looking through them again costs less than an index.
    private static let fewItems = 64

    /// The findings for a group; entries and transactions by their positions in the lists.
    private struct Found {
        var entries: [Int] = []
        var transactions: [Int] = []
        var accounts: Set<AppAccountToken> = []
    }

    /// The entries by the transactions.
    let lookup: EntryLookup
    /// Whether there is an entry whose group cannot be determined.
    let hasUnknownEntry: Bool
    /// Whether a subscription was bought whose group cannot be determined.
    let hasUnknownSubscription: Bool
    private let history: SubscriptionHistory
    private let groups: [String: Found]
    private let unknownTransactions: [Int]
    private let allAccounts: Set<AppAccountToken>

    /// Looks through a history.
    init(_ history: SubscriptionHistory, of app: App) {
        let lookup = EntryLookup(history, of: app)
        var groups: [String: Found] = [:]
        var unknownTransactions: [Int] = []
        var allAccounts: Set<AppAccountToken> = []
        var hasUnknownEntry = false
        for (index, renewal) in (history.renewals ?? []).enumerated() {
            guard let group = lookup.group(of: renewal) else {
                hasUnknownEntry = true
                continue
            }
            groups[group, default: Found()].entries.append(index)
        }
        for (index, transaction) in history.transactions.enumerated() {
            if let token = transaction.appAccountToken { allAccounts.insert(token) }
            guard let group = history.groupIdentifier(of: transaction, in: app) else {
                unknownTransactions.append(index)
                continue
            }
            groups[group, default: Found()].transactions.append(index)
            if let token = transaction.appAccountToken { groups[group, default: Found()].accounts.insert(token) }
        }
        self.history = history
        self.lookup = lookup
        self.hasUnknownEntry = hasUnknownEntry
        hasUnknownSubscription =
            !unknownTransactions.isEmpty && history.hasSubscriptionOfUnknownGroup(in: app, by: lookup)
        self.groups = groups
        self.unknownTransactions = unknownTransactions
        self.allAccounts = allAccounts
    }

    /// Whether an index is worth while for a second group.
    ///
    /// - Parameter history: What the evidence says.
    /// - Returns: `true` for long lists.
    static func isUseful(for history: SubscriptionHistory) -> Bool {
        history.transactions.count + (history.renewals?.count ?? 0) > fewItems
    }

    /// The entries of a group, in the order of the list.
    func entries(inGroup groupId: String) -> some Sequence<RenewalInfo> {
        let entries = history.renewals ?? []
        return (groups[groupId]?.entries ?? []).lazy.map { entries[$0] }
    }

    /// The transactions of a group, in the order of the list.
    ///
    /// - Parameter groupId: The group's identifier; `nil` for those whose group cannot be determined.
    /// - Returns: The transactions.
    func transactions(inGroup groupId: String?) -> some Collection<Transaction> {
        let found = groupId.map { groups[$0]?.transactions ?? [] } ?? unknownTransactions
        return found.lazy.map { [history] in history.transactions[$0] }
    }

    /// The accounts of a group, as ``SubscriptionHistory/accountTokens(inGroup:of:)`` finds them.
    func accountTokens(inGroup groupId: String) -> Set<AppAccountToken> {
        guard let accounts = groups[groupId]?.accounts, !accounts.isEmpty else { return allAccounts }
        return accounts
    }
}

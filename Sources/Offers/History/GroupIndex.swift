/// What a history has of each group, found in one pass for all groups.
///
/// One group is looked for through the whole lists, which is the fastest. Of many, as a request for a hundred offers may
/// ask for, each would cost as much again.
final class GroupIndex: Sendable {
    /// How many transactions and entries are few, so that looking through them again costs less than an index.
    private static let fewItems = 64

    /// What was found for a group; entries and transactions by their positions in the lists.
    private struct Found {
        var entries: [Int] = []
        var transactions: [Int] = []
        var accounts: Set<AppAccountToken> = []
    }

    /// What the transactions say of the entries.
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
    ///
    /// - Parameters:
    ///   - history: What the evidence says.
    ///   - app: The app of the catalog, which knows the groups of its products.
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
    ///
    /// - Parameter groupId: The group's identifier.
    /// - Returns: The entries.
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
    ///
    /// - Parameter groupId: The group's identifier.
    /// - Returns: The tokens.
    func accountTokens(inGroup groupId: String) -> Set<AppAccountToken> {
        guard let accounts = groups[groupId]?.accounts, !accounts.isEmpty else { return allAccounts }
        return accounts
    }
}

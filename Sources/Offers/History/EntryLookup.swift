/// The entries of a history by its transactions.
///
/// A few entries look through the transactions one after the other, which is the fastest. Of many, as an attacker
/// sends them, the transactions are looked through once for all: the time does not grow with the product of both lists.
struct EntryLookup {
    /// How many entries are few.
    static let fewEntries = 8

    /// The findings for a subscription or a product; transactions by their positions in the list.
    private struct Found {
        /// The group by catalog or evidence.
        var group = NamedGroup()
        /// The group that the evidence states.
        var statedGroup = NamedGroup()
        /// The newest that no upgrade replaced.
        var newest: Int?
        /// The newest of them that is not shared.
        var newestPurchase: Int?
    }

    private let history: SubscriptionHistory
    private let app: App
    private var bySubscription: [String: Found] = [:]
    private var byProduct: [String: Found] = [:]
    private let isIndexed: Bool

    /// Looks through the transactions, where that is worth it.
    init(_ history: SubscriptionHistory, of app: App) {
        self.history = history
        self.app = app
        isIndexed = (history.renewals?.count ?? 0) > Self.fewEntries
        guard isIndexed else { return }
        let all = history.transactions
        for index in all.indices {
            let group = history.groupIdentifier(of: all[index], in: app)
            Self.note(index, in: all, of: group, &bySubscription[all[index].originalTransactionId, default: Found()])
            Self.note(index, in: all, of: group, &byProduct[all[index].productId, default: Found()])
        }
    }

    /// Notes what one transaction says.
    ///
    /// It is no method of the value: the call would hold a second copy of both indices, and each of them would be copied
    /// whole for every transaction.
    private static func note(_ index: Int, in all: [Transaction], of group: String?, _ found: inout Found) {
        let transaction = all[index]
        found.group.note(group)
        found.statedGroup.note(transaction.subscriptionGroupIdentifier)
        guard !transaction.isUpgraded else { return }
        if found.newest.map({ Transaction.isOlder(all[$0], transaction) }) ?? true { found.newest = index }
        guard !transaction.isFamilyShared else { return }
        if found.newestPurchase.map({ Transaction.isOlder(all[$0], transaction) }) ?? true {
            found.newestPurchase = index
        }
    }

    /// The group that an entry is about, as ``SubscriptionHistory/groupIdentifier(of:in:)-(RenewalInfo,_)`` finds it.
    func group(of renewal: RenewalInfo) -> String? {
        guard isIndexed else { return history.groupIdentifier(of: renewal, in: app) }
        if let productId = renewal.productId, let place = app.product(productId) { return place.group.id }
        if let group = renewal.subscriptionGroupIdentifier { return group }
        if let id = renewal.originalTransactionId, let named = bySubscription[id]?.group, named.isNamed {
            return named.identifier
        }
        return renewal.productId.flatMap { byProduct[$0]?.statedGroup.identifier }
    }

    /// The newest transaction of an entry that counts, as ``Subscription/newest(of:where:)`` finds it.
    func newestTransaction(of renewal: RenewalInfo) -> Transaction? {
        guard isIndexed else { return history.newestTransaction(of: renewal) }
        return found(of: renewal).flatMap { $0.newestPurchase ?? $0.newest }.map { history.transactions[$0] }
    }

    /// Whether the history has a transaction of an entry, whatever became of it.
    func hasTransactions(of renewal: RenewalInfo) -> Bool {
        isIndexed ? found(of: renewal) != nil : !history.transactions(of: renewal).isEmpty
    }

    private func found(of renewal: RenewalInfo) -> Found? {
        guard let id = renewal.originalTransactionId else { return renewal.productId.flatMap { byProduct[$0] } }
        return bySubscription[id]
    }
}

/// The newest transaction of each group, by whose identifier the App Store knows the customer.
///
/// Upgraded, refunded and shared ones count: they are the customer's all the same. All groups are looked at in one pass:
/// evidence of thousands of transactions may be sent for a hundred offers.
public struct NewestTransactions: Sendable {
    private let ofApp: String?
    private let ofGroups: [String: String]

    /// Looks for those of one account: beside them, evidence that is not all of one Apple Account may have others'.
    ///
    /// - Parameters:
    ///   - history: What the evidence says.
    ///   - app: The app of the catalog, which knows the groups of its products.
    ///   - account: The account.
    public init(_ history: SubscriptionHistory, of app: App, for account: Account) {
        self.init(history.leavingOutOthers(than: account) ?? history, of: app)
    }

    /// Looks for them.
    ///
    /// - Parameters:
    ///   - history: What the evidence says.
    ///   - app: The app of the catalog, which knows the groups of its products.
    public init(_ history: SubscriptionHistory, of app: App) {
        // Indices avoid copies: copying a transaction takes longer than looking at it.
        let all = history.transactions
        var newest: Int?
        var newestOfGroups: [String: Int] = [:]
        func isNewer(_ index: Int, than other: Int?) -> Bool {
            other.map { Transaction.isOlder(all[$0], all[index]) } ?? true
        }
        for index in all.indices where all[index].transactionId != nil {
            if isNewer(index, than: newest) { newest = index }
            guard let group = history.groupIdentifier(of: all[index], in: app) else { continue }
            if isNewer(index, than: newestOfGroups[group]) { newestOfGroups[group] = index }
        }
        ofApp = newest.flatMap { all[$0].transactionId }
        ofGroups = newestOfGroups.compactMapValues { all[$0].transactionId }
    }

    /// The identifier of the newest transaction.
    ///
    /// - Parameter groupId: The group's identifier; `nil` for the whole app.
    /// - Returns: The identifier; `nil` when the evidence has no transaction there, or none with an identifier.
    public func identifier(inGroup groupId: String?) -> String? {
        groupId.map { ofGroups[$0] } ?? ofApp
    }
}

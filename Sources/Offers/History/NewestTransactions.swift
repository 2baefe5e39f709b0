/// The newest transaction of each group, by whose identifier the App Store knows the customer.
///
/// The customer's own purchases come first, also upgraded and refunded ones; without any, shared and assigned ones are
/// the customer's all the same. All groups are looked at in one pass: evidence of thousands of transactions may be sent
/// for a hundred offers.
package struct NewestTransactions: Sendable {
    private let ofApp: String?
    private let ofGroups: [String: String]

    /// Looks at one account's alone: evidence that is not all of one Apple Account may have others' beside them.
    package init(_ history: SubscriptionHistory, of app: App, for account: Account) {
        self.init(history.leavingOutOthers(than: account) ?? history, of: app)
    }

    package init(_ history: SubscriptionHistory, of app: App) {
        // Indices avoid copies: copying a transaction takes longer than looking at it.
        let all = history.transactions
        var newest: Int?
        var newestOfGroups: [String: Int] = [:]
        func isNewer(_ index: Int, than other: Int?) -> Bool {
            guard let other else { return true }
            let (isOwn, wasOwn) = (all[index].isOwnPurchase, all[other].isOwnPurchase)
            return isOwn == wasOwn ? Transaction.isOlder(all[other], all[index]) : isOwn
        }
        for index in all.indices where all[index].transactionId != nil {
            if isNewer(index, than: newest) { newest = index }
            guard let group = history.groupIdentifier(of: all[index], in: app) else { continue }
            if isNewer(index, than: newestOfGroups[group]) { newestOfGroups[group] = index }
        }
        ofApp = newest.flatMap { all[$0].transactionId }
        ofGroups = newestOfGroups.compactMapValues { all[$0].transactionId }
    }

    /// In a group, or with `nil` in the whole app; `nil` where no transaction there has an identifier.
    package func identifier(inGroup groupId: String?) -> String? {
        groupId.map { ofGroups[$0] } ?? ofApp
    }
}

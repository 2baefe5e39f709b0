/// The newest transaction of each group, by whose identifier the App Store knows the customer.
///
/// The customer's own purchases come first, also upgraded and refunded ones; without any, shared and assigned ones are
/// the customer's all the same. All groups are looked at in one pass: evidence of thousands of transactions may be sent
/// for a hundred offers.
package struct NewestTransactions: Sendable {
    private let ofApp: String?
    private let ofGroups: [String: String]

    /// Looks at one account's alone: evidence that is not all of one Apple Account may have others' beside them.
    package init(_ book: Book, of app: App, for account: Account) {
        self.init(book.leavingOutOthers(than: account) ?? book, of: app)
    }

    package init(_ book: Book, of app: App) {
        var newest: Transaction?
        var newestOfGroups: [String: Transaction] = [:]
        for chapter in book.chapters {
            let rows = chapter.transactions.span
            for index in rows.indices where rows[index].content.transactionId != nil {
                if rows[index].content.isNewer(than: newest) { newest = rows[index].content }
                guard let group = Book.group(of: rows[index].content, in: app) else { continue }
                if rows[index].content.isNewer(than: newestOfGroups[group]) {
                    newestOfGroups[group] = rows[index].content
                }
            }
        }
        ofApp = newest?.transactionId
        ofGroups = newestOfGroups.compactMapValues(\.transactionId)
    }

    /// In a group, or with `nil` in the whole app; `nil` where no transaction there has an identifier.
    package func identifier(inGroup groupId: String?) -> String? {
        groupId.map { ofGroups[$0] } ?? ofApp
    }
}

extension Transaction {
    fileprivate func isNewer(than other: Transaction?) -> Bool {
        guard let other else { return true }
        return isOwnPurchase == other.isOwnPurchase ? Transaction.isOlder(other, self) : isOwnPurchase
    }
}

extension SubscriptionHistory {
    /// The group that a transaction's product is in: by the catalog, else as the evidence says.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - app: The app of the catalog.
    /// - Returns: The group's identifier; `nil` when neither knows it.
    func groupIdentifier(of transaction: Transaction, in app: App) -> String? {
        app.product(transaction.productId)?.group.id ?? transaction.subscriptionGroupIdentifier
    }

    /// The group that an entry is about: by the catalog, else as the evidence says of it or of its transactions.
    ///
    /// Entries of `pending_renewal_info` carry no group as a rule, though Apple's article on them says so. They are
    /// joined with transactions by `original_transaction_id`, and then by `product_id`; where those disagree nothing is
    /// determined.
    ///
    /// - Parameters:
    ///   - renewal: The entry.
    ///   - app: The app of the catalog.
    /// - Returns: The group's identifier; `nil` when it cannot be determined.
    func groupIdentifier(of renewal: RenewalInfo, in app: App) -> String? {
        if let productId = renewal.productId, let place = app.product(productId) { return place.group.id }
        if let group = renewal.subscriptionGroupIdentifier { return group }
        var told = ToldGroup()
        if let id = renewal.originalTransactionId {
            for transaction in transactions where transaction.originalTransactionId == id {
                told.note(groupIdentifier(of: transaction, in: app))
            }
        }
        if told.isTold { return told.identifier }
        for transaction in transactions where transaction.productId == renewal.productId {
            told.note(transaction.subscriptionGroupIdentifier)
        }
        return told.identifier
    }

    /// Whether a subscription was bought of which nothing tells the group, neither its product nor what else is said of
    /// the subscription: it may be of any.
    ///
    /// What does not expire is none.
    ///
    /// - Parameters:
    ///   - app: The app of the catalog.
    ///   - lookup: What the transactions say of the entries.
    /// - Returns: `true` when there is one.
    func hasSubscriptionOfUnknownGroup(in app: App, by lookup: EntryLookup) -> Bool {
        func isUnknown(_ transaction: Transaction) -> Bool {
            transaction.expiresDate != nil && groupIdentifier(of: transaction, in: app) == nil
        }
        guard transactions.contains(where: isUnknown) else { return false }
        var subscriptions: Set<String> = []
        var products: Set<String> = []
        for transaction in transactions where groupIdentifier(of: transaction, in: app) != nil {
            subscriptions.insert(transaction.originalTransactionId)
            products.insert(transaction.productId)
        }
        for renewal in renewals ?? [] where lookup.group(of: renewal) != nil {
            if let id = renewal.originalTransactionId { subscriptions.insert(id) }
        }
        return transactions.contains { transaction in
            isUnknown(transaction) && !subscriptions.contains(transaction.originalTransactionId)
                && !products.contains(transaction.productId)
        }
    }

    /// The transactions that an entry is about.
    ///
    /// - Parameter renewal: The entry.
    /// - Returns: Those of its `original_transaction_id`; those of its product when the entry names no id.
    func transactions(of renewal: RenewalInfo) -> [Transaction] {
        transactions.filter { Self.belongs($0, to: renewal) }
    }

    /// The newest of ``transactions(of:)`` that counts.
    ///
    /// - Parameter renewal: The entry.
    /// - Returns: The transaction; `nil` when there is none.
    func newestTransaction(of renewal: RenewalInfo) -> Transaction? {
        Subscription.newest(of: transactions) { Self.belongs($0, to: renewal) }
    }

    private static func belongs(_ transaction: Transaction, to renewal: RenewalInfo) -> Bool {
        guard let id = renewal.originalTransactionId else { return transaction.productId == renewal.productId }
        return transaction.originalTransactionId == id
    }
}

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
    /// joined with transactions by `original_transaction_id`, and then by `product_id`.
    ///
    /// - Parameters:
    ///   - renewal: The entry.
    ///   - app: The app of the catalog.
    /// - Returns: The group's identifier; `nil` when it cannot be determined.
    func groupIdentifier(of renewal: RenewalInfo, in app: App) -> String? {
        if let productId = renewal.productId, let place = app.product(productId) { return place.group.id }
        if let group = renewal.subscriptionGroupIdentifier { return group }
        if let id = renewal.originalTransactionId {
            for transaction in transactions where transaction.originalTransactionId == id {
                if let group = groupIdentifier(of: transaction, in: app) { return group }
            }
        }
        for transaction in transactions where transaction.productId == renewal.productId {
            if let group = transaction.subscriptionGroupIdentifier { return group }
        }
        return nil
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

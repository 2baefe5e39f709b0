/// A customer of an app with held state: an account, or a subscription that no account has.
package struct HeldCustomer: Sendable {
    package let bundleId: String
    /// `nil` of a subscription by itself.
    package let account: AccountDigest?
    /// `nil` of an account.
    package let originalTransactionId: String?
    package let held: Book

    package init(bundleId: String, account: AccountDigest?, originalTransactionId: String?, held: Book) {
        self.bundleId = bundleId
        self.account = account
        self.originalTransactionId = originalTransactionId
        self.held = held
    }
}

/// Customers with held state, some at a time.
package struct HeldCustomers: Sendable {
    package let customers: [HeldCustomer]
    /// How many subscriptions were looked at for them.
    package let subscriptions: Int
}

extension HeldCustomers {
    package init(_ customers: [HeldCustomer], subscriptions: Int) {
        self.customers = customers
        self.subscriptions = subscriptions
    }
}

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

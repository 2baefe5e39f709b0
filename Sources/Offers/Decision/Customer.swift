/// The customer that a decision is about: the account to sign for, and what the evidence says.
public struct Customer: Sendable {
    /// The account to sign for.
    public let account: Account
    /// What the evidence says; `nil` when there is none.
    public let history: SubscriptionHistory?

    /// Creates a customer.
    ///
    /// - Parameters:
    ///   - account: The account to sign for.
    ///   - history: What the evidence says; `nil` when there is none.
    public init(account: Account, history: SubscriptionHistory?) {
        self.account = account
        self.history = history
    }
}

/// The customer that a decision is about: the account to sign for, and what the evidence says.
public struct Customer: Sendable {
    /// The account to sign for.
    public let account: Account
    /// What the evidence says; `nil` when there is none.
    public let history: SharedHistory?
    /// What the ledger holds of the customer; `nil` where it was not asked.
    public let standing: LedgerStanding?

    /// Creates a customer.
    ///
    /// - Parameters:
    ///   - account: The account to sign for.
    ///   - history: What the evidence says; `nil` when there is none.
    ///   - standing: What the ledger holds of the customer; `nil` where it was not asked.
    public init(account: Account, history: SubscriptionHistory?, standing: LedgerStanding? = nil) {
        self.init(account: account, sharing: history.map { SharedHistory($0) }, standing: standing)
    }

    /// Creates a customer.
    ///
    /// - Parameters:
    ///   - account: The account to sign for.
    ///   - history: What the evidence says; `nil` when there is none.
    ///   - standing: What the ledger holds of the customer; `nil` where it was not asked.
    public init(account: Account, sharing history: SharedHistory?, standing: LedgerStanding? = nil) {
        self.account = account
        self.history = history
        self.standing = standing
    }
}

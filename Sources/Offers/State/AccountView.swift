/// An account as held state knows it: by its digest.
public struct AccountView: Equatable, Sendable {
    /// The account that a request names.
    public let account: Account
    /// Its digest; `nil` for no account.
    public let digest: AccountDigest?

    /// Looks at an account.
    ///
    /// - Parameters:
    ///   - account: The account that a request names.
    ///   - bundleId: The app that it is an account of.
    ///   - digester: Makes its digest.
    public init(_ account: Account, of bundleId: String, digester: some AccountDigester) {
        self.account = account
        digest = account.stateKey.map { digester.digest(of: $0, bundleId: bundleId) }
    }

    /// Looks at no account.
    init() {
        account = .none
        digest = nil
    }

    /// A held transaction as this account sees it: its own token instead of the pseudonym.
    ///
    /// - Parameter held: The transaction.
    /// - Returns: The transaction, dated.
    func transaction(_ held: Held<Transaction>) -> Transaction {
        var transaction = held.value
        transaction.signedDate = held.asOf
        if let token = transaction.appAccountToken, let stored = account.storedToken, token == digest?.pseudonym {
            transaction.appAccountToken = stored
        }
        return transaction
    }
}

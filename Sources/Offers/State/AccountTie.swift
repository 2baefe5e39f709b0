/// How a subscription belongs to an account.
public enum AccountTie: Equatable, Sendable {
    /// Apple keeps the account with a purchase of the subscription (`appAccountToken`).
    case bought
    /// A request for the account came with evidence of the subscription that names no account; the moment of the last.
    case presented(at: Timestamp)

    /// The one of two that counts.
    ///
    /// - Parameter other: The other one.
    /// - Returns: What Apple keeps, else the later one.
    func orStronger(_ other: AccountTie) -> AccountTie {
        switch (self, other) {
        case (.bought, _), (_, .bought): .bought
        case (.presented(let left), .presented(let right)): .presented(at: max(left, right))
        }
    }
}

/// How a subscription belongs to an account.
public enum AccountTie: Equatable, Sendable {
    /// Apple keeps the account with a purchase of the subscription (`appAccountToken`).
    case bought
    /// A request for the account came with Apple's word of the subscription, which names no account; the moment of the
    /// last, as far as that is noted.
    case presented(at: Timestamp)
    /// A request for the account showed a redemption, in a client's words alone: nothing but that redemption counts.
    case redeemed

    /// For how many days an account that presented evidence keeps its place from others.
    static let keptDays = 30

    /// The one of two that counts.
    ///
    /// - Parameter other: The other one.
    /// - Returns: The stronger one, or the later one.
    func orStronger(_ other: AccountTie) -> AccountTie {
        switch (self, other) {
        case (.bought, _), (_, .bought): .bought
        case (.presented(let left), .presented(let right)): .presented(at: max(left, right))
        case (.presented, _): self
        case (.redeemed, _): other
        }
    }

    /// Whether it says no more than an earlier one: an account that comes again is noted once a day.
    func isNoNews(after earlier: AccountTie) -> Bool {
        switch (self, earlier) {
        case (.presented(let moment), .presented(let before)): moment <= before.adding(days: 1)
        default: self == earlier
        }
    }
}

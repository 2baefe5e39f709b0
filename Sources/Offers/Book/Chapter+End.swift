/// The subscription as it is read now, for people and for its deletion.
extension Chapter {
    package func subscription(of app: App, at now: Timestamp) -> Subscription? {
        Subscriptions(Book(chapters: [self]), of: app, at: now).all.first
    }

    /// Whether it surely ended before a moment, and nobody needs it: no redemption counts, no refund, no other identifier
    /// leads to it, and Apple has not spoken of it since.
    package func isOver(before limit: Timestamp, at now: Timestamp) -> Bool {
        guard hasState, !hasRedemptions, linked.isEmpty, asOf.map({ $0 < limit }) ?? false else { return false }
        let subscription = Subscription(self, inGroup: nil, listed: nil, now: now, oldest: nil)
        guard subscription.stateCountingShared == .lapsed, subscription.certainty == .known,
            subscription.alternative == nil, let end = subscription.endsAt
        else { return false }
        return end < limit
    }

    /// Whether a purchase names the account.
    package func isBought(by account: AccountDigest) -> Bool { accounts[account] == .bought }
}

extension HeldState {
    /// How many subscriptions are remembered of one history, and read of one account.
    ///
    /// It is far more than any customer has: of a group one at a time, which keeps its identifier through renewals,
    /// upgrades and pauses, so that a new one comes with a new group or another Apple Account. Without a bound an account
    /// to which thousands were tied would cost each of its requests seconds.
    public static let mostOfAccount = 64

    /// Leaves out of an account's subscriptions those beyond ``mostOfAccount``: the first by their identifiers, which the
    /// App Store gives out in order.
    ///
    /// What the question names stays in any case. Where any is left out there are no marks: that all subscriptions of the
    /// account are known is no longer so.
    ///
    /// - Parameter question: What was asked.
    public mutating func leaveOut(beyond question: StateQuestion) {
        guard let account = question.account, subscriptions.count > Self.mostOfAccount else { return }
        let own = subscriptions.indices.filter { subscriptions[$0].accounts[account] != nil }
        guard own.count > Self.mostOfAccount else { return }
        let sorted = own.sorted { subscriptions[$1].identity.isBefore(subscriptions[$0].identity) }
        let leftOut = Set(sorted.dropFirst(Self.mostOfAccount))
        subscriptions = subscriptions.indices.filter { index in
            !leftOut.contains(index) || question.subscriptions.contains(subscriptions[index].identity)
        }.map { subscriptions[$0] }
        marks = []
    }
}

extension SubscriptionIdentity {
    /// Whether the identifier comes before another's, byte by byte, as databases compare them.
    ///
    /// - Parameter other: The other one, of the same app.
    /// - Returns: `true` when it does.
    public func isBefore(_ other: SubscriptionIdentity) -> Bool {
        guard originalTransactionId == other.originalTransactionId else {
            return originalTransactionId.utf8.lexicographicallyPrecedes(other.originalTransactionId.utf8)
        }
        return environment.rawValue < other.environment.rawValue
    }
}

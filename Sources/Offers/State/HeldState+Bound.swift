extension HeldState {
    /// How many subscriptions are learnt from one history, and told of one account.
    ///
    /// It is far more than any customer has: of a group one at a time, which keeps its identifier through renewals,
    /// upgrades and pauses, so that a new one comes with a new group or another Apple Account. Without a bound an account
    /// to which thousands were tied would cost each of its requests seconds.
    public static let mostOfAccount = 64

    /// Leaves out of an account's subscriptions those beyond ``mostOfAccount``: what was learnt longest ago.
    ///
    /// What the question names stays in any case. Where any is left out there are no marks: that all subscriptions of the
    /// account are known is no longer so.
    ///
    /// - Parameter question: What was asked.
    public mutating func leaveOut(beyond question: StateQuestion) {
        guard let account = question.account, subscriptions.count > Self.mostOfAccount else { return }
        let own = subscriptions.indices.filter { subscriptions[$0].accounts[account] != nil }
        guard own.count > Self.mostOfAccount else { return }
        let sorted = own.sorted { subscriptions[$0].isLearnt(after: subscriptions[$1]) }
        let leftOut = Set(sorted.dropFirst(Self.mostOfAccount))
        subscriptions = subscriptions.indices.filter { index in
            !leftOut.contains(index) || question.subscriptions.contains(subscriptions[index].identity)
        }.map { subscriptions[$0] }
        marks = []
    }
}

extension HeldSubscription {
    /// Whether it was learnt after another; of those learnt at once, as from one history, the identifiers decide.
    fileprivate func isLearnt(after other: HeldSubscription) -> Bool {
        guard learntAt == other.learntAt else { return learntAt > other.learntAt }
        return (identity.originalTransactionId, identity.environment.rawValue)
            > (other.identity.originalTransactionId, other.identity.environment.rawValue)
    }
}

/// The part of one piece of evidence, or of one notification, that is remembered.
package struct StateObservation: Equatable, Sendable {
    package let subscriptions: [HeldSubscription]
    /// The mark that these are all subscriptions of the account; `nil` when that is not known.
    package let mark: AccountHistoryMark?

    package init(subscriptions: [HeldSubscription], mark: AccountHistoryMark? = nil) {
        self.subscriptions = subscriptions
        self.mark = mark
    }

    package var isEmpty: Bool { subscriptions.isEmpty && mark == nil }

    /// Whether it says more than the held state of its subscriptions and account, or the same more than an hour later.
    package func isNews(beside state: HeldState) -> Bool {
        for seen in subscriptions {
            guard let held = state.subscriptions.first(where: { $0.identity == seen.identity }) else { return true }
            var merged = held
            merged.merge(seen)
            if !merged.isNoNews(after: held) { return true }
        }
        guard let mark, counts(mark, beside: { id in state.subscriptions.first { $0.identity == id } }) else {
            return false
        }
        let known = state.marks.first { $0.bundleId == mark.bundleId && $0.environment == mark.environment }
        return known.map { $0.asOf.adding(seconds: 3600) < mark.asOf } ?? true
    }

    /// The mark, unless a subscription has no room for the account once this is merged into it.
    ///
    /// Then not all of them are found by the account.
    package func mark(beside held: (SubscriptionIdentity) -> HeldSubscription?) -> AccountHistoryMark? {
        mark.flatMap { counts($0, beside: held) ? $0 : nil }
    }

    private func counts(
        _ mark: AccountHistoryMark,
        beside held: (SubscriptionIdentity) -> HeldSubscription?
    ) -> Bool {
        subscriptions.allSatisfy { seen in
            seen.accounts[mark.account] == nil || held(seen.identity)?.accounts[mark.account] != nil
        }
    }
}

/// The answer to a ``StateQuestion``: the subscriptions of the account, and others that the evidence names.
package struct HeldState: Equatable, Sendable {
    /// Each once, in no order that counts.
    package var subscriptions: [HeldSubscription]
    /// Since when all subscriptions of the account are known, one mark at the most for an environment.
    package var marks: [AccountHistoryMark]

    package init(subscriptions: [HeldSubscription] = [], marks: [AccountHistoryMark] = []) {
        self.subscriptions = subscriptions
        self.marks = marks
    }

    package var isEmpty: Bool { subscriptions.isEmpty && marks.isEmpty }

    /// Leaves out redemptions that clients showed, where evidence of Apple's has their transactions.
    package mutating func leaveOutRedemptions(in history: SubscriptionHistory) {
        for index in subscriptions.indices where !subscriptions[index].shown.isEmpty {
            subscriptions[index].leaveOutRedemptions(of: history.transactions)
        }
    }
}

extension HeldState {
    /// How many subscriptions are remembered of one history, and read of one account.
    ///
    /// It is far more than any customer has: of a group one at a time, which keeps its identifier through renewals,
    /// upgrades and pauses, so that a new one comes with a new group or another Apple Account. Without a bound an
    /// account to which thousands were tied would cost each of its requests seconds.
    package static let mostOfAccount = 64

    /// Leaves out subscriptions of an account beyond the first ``mostOfAccount`` by identifier, which the App Store
    /// gives out in order.
    ///
    /// Subscriptions that the question names always stay. Where any is left out there are no marks: that all
    /// subscriptions of the account are known is no longer so.
    package mutating func leaveOut(beyond question: StateQuestion) {
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

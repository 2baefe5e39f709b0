/// What is held for a ``StateQuestion``: the subscriptions of the account, and those that the evidence names.
public struct HeldState: Equatable, Sendable {
    /// The subscriptions, each once, in no order that counts.
    public var subscriptions: [HeldSubscription]
    /// Since when all subscriptions of the account are known, one mark at the most for an environment.
    public var marks: [AccountHistoryMark]

    /// Creates it.
    ///
    /// - Parameters:
    ///   - subscriptions: The subscriptions.
    ///   - marks: Since when all subscriptions of the account are known.
    public init(subscriptions: [HeldSubscription] = [], marks: [AccountHistoryMark] = []) {
        self.subscriptions = subscriptions
        self.marks = marks
    }

    /// Whether nothing is held.
    public var isEmpty: Bool { subscriptions.isEmpty && marks.isEmpty }

    /// Leaves out redemptions that clients showed, where evidence of Apple's has their transactions.
    ///
    /// - Parameter history: Evidence of Apple's.
    public mutating func leaveOutRedemptions(in history: SubscriptionHistory) {
        for index in subscriptions.indices where !subscriptions[index].shown.isEmpty {
            subscriptions[index].leaveOutRedemptions(of: history.transactions)
        }
    }
}

/// The findings in the evidence for one group, or for the whole app: looked for once in a request.
final class HistoryReading: Sendable {
    /// `nil` when the evidence carries no date to judge it at.
    let status: GroupStatus?
    /// The subscription that counts.
    let subscription: Subscription?
    /// The products of other subscriptions that are running there.
    let alsoRunning: [String]
    let ended: EndedSubscriptions
    let accounts: Set<AppAccountToken>
    /// Whether the purchases of the subscription that counts name an account, or, in evidence of one Apple Account, any
    /// do.
    let namesAccount: Bool
    /// The date by which its age is judged: of the transaction and renewal info that count, where they have their own.
    let date: Timestamp?
    /// Whether the subscription is known by held state alone, and so may be as old as held state.
    let isHeld: Bool

    /// Takes the history with the part `own` that can be the account's, and the holdings of that part.
    init(
        _ history: SharedHistory,
        own: SharedHistory,
        inGroup groupId: String?,
        of app: App,
        at now: Timestamp,
        by holdings: Holdings?
    ) {
        let found = holdings.flatMap { holdings in
            own.value.clock(at: now).map {
                own.value.subscriptions(inGroup: groupId, by: holdings, at: $0, now: now)
            }
        }
        accounts = history.value.accountTokens(inGroup: groupId, of: app)
        status = found?.status
        alsoRunning = found?.alsoRunning ?? []
        ended = found?.ended ?? EndedSubscriptions()
        if case .subscriber(let subscription) = status {
            self.subscription = subscription
        } else {
            self.subscription = nil
        }
        let share = own.value.heldShare(of: subscription)
        isHeld = own.value.isHeld || share?.isWhole == true
        date = isHeld ? subscription?.newestDate ?? own.value.asOf : Self.date(of: own.value, subscription)
        let isWhole = !own.value.isComposed && own.value.heldShares.isEmpty
        namesAccount = isWhole ? !accounts.isEmpty : own.value.namesAccount(of: subscription)
    }

    private static func date(of history: SubscriptionHistory, _ subscription: Subscription?) -> Timestamp? {
        guard let subscription else { return history.asOf }
        if history.coverage == .partial { return subscription.oldestDate ?? history.asOf }
        return history.asOf.map { history.clock(of: subscription.originalTransactionId, at: $0) }
    }
}

extension Subscription {
    /// Of transaction and renewal info; `nil` if neither has a date of its own.
    fileprivate var newestDate: Timestamp? {
        let (bought, renewal) = (transaction?.signedDate, renewal.signedDate)
        return bought.map { max($0, renewal ?? $0) } ?? renewal
    }

    fileprivate var oldestDate: Timestamp? {
        let (bought, renewal) = (transaction?.signedDate, renewal.signedDate)
        return bought.map { min($0, renewal ?? $0) } ?? renewal
    }
}

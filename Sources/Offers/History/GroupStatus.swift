/// The status of a customer in one subscription group.
package enum GroupStatus: Equatable, Sendable {
    /// There is an entry of `pending_renewal_info` for the group; of several the one with the strongest state.
    case subscriber(Subscription)
    /// The group has transactions, but no entry.
    case noPendingRenewalInfo
    /// The evidence has neither entry nor transaction of the group.
    case neverSubscribed
    /// No entry or purchase is known to be of this group, and the group of one cannot be determined.
    case groupUnknown
    /// The lack of an entry proves nothing: the evidence has no list of entries, or is its sender's choice.
    case noEvidence
}

extension SubscriptionHistory {
    /// The status in a group, or with `nil` in the whole app, at Apple's clock.
    ///
    /// In the whole app every entry counts, and every subscription that was bought, also one whose group cannot be
    /// determined. Held state of a subscription that is newer than Apple's clock has a clock of its own. The server's
    /// clock is Apple's, unless said.
    package func status(
        inGroup groupId: String?,
        of app: App,
        at clock: Timestamp,
        now: Timestamp? = nil
    ) -> GroupStatus {
        subscriptions(inGroup: groupId, of: app, at: clock, now: now ?? clock).status
    }

    /// The status with the subscriptions that run beside the one that counts; finds the holdings itself unless they are
    /// given.
    func subscriptions(
        inGroup groupId: String?,
        of app: App,
        by holdings: Holdings? = nil,
        at clock: Timestamp,
        now: Timestamp
    ) -> StrongestSubscription {
        guard renewals != nil else { return StrongestSubscription(status: .noEvidence) }
        let holdings = holdings ?? Holdings(self, of: app, at: clock)
        var found = StrongestSubscription()
        var (hasEntry, hasUnknownEntry, isBought, maybeBought, mayRunElsewhere) = (false, false, false, false, false)
        for holding in holdings.all {
            let isHere = groupId == nil || holding.group == groupId
            guard isHere || holding.group == nil else { continue }
            switch (holding.entry != nil, isHere) {
            case (true, true): hasEntry = true
            case (true, false): hasUnknownEntry = true
            case (false, true): isBought = isBought || holding.group != nil || holding.hasEnd
            case (false, false): maybeBought = maybeBought || holding.hasEnd
            }
            guard holding.isSubscription, isHere || holding.hasRows else { continue }
            let subscription = Subscription(holding, of: self, at: clock, now: now)
            if isHere { found.consider(subscription) } else if subscription.mayRun { mayRunElsewhere = true }
        }
        guard !hasEntry else {
            // A running subscription of an unknown group may run in this one.
            return found.mayRun || !mayRunElsewhere ? found : StrongestSubscription(status: .groupUnknown)
        }
        let status: GroupStatus =
            if hasUnknownEntry {
                .groupUnknown
            } else if isBought {
                .noPendingRenewalInfo
            } else if !coverage.showsEverySubscription {
                .noEvidence
            } else {
                maybeBought ? .groupUnknown : .neverSubscribed
            }
        return StrongestSubscription(status: status)
    }
}

/// The transactions and accounts of a history by group, found in one pass for all groups.
///
/// One group is looked for through the whole lists, which is the fastest. Of many, as a request for a hundred offers
/// may ask for, each would cost as much again.
final class GroupIndex: Sendable {
    /// How many transactions and entries are few: looking through them again costs less than an index.
    private static let fewItems = 64

    /// Transactions by their positions in the list.
    private struct Found {
        var transactions: [Int] = []
        var accounts: Set<AppAccountToken> = []
    }

    let holdings: Holdings
    private let history: SubscriptionHistory
    private let groups: [String: Found]
    private let unknownTransactions: [Int]
    private let allAccounts: Set<AppAccountToken>

    init(_ history: SubscriptionHistory, of app: App, at clock: Timestamp? = nil) {
        var groups: [String: Found] = [:]
        var unknownTransactions: [Int] = []
        var allAccounts: Set<AppAccountToken> = []
        for (index, transaction) in history.transactions.enumerated() {
            if let token = transaction.appAccountToken { allAccounts.insert(token) }
            guard let group = history.groupIdentifier(of: transaction, in: app) else {
                unknownTransactions.append(index)
                continue
            }
            groups[group, default: Found()].transactions.append(index)
            if let token = transaction.appAccountToken { groups[group, default: Found()].accounts.insert(token) }
        }
        self.history = history
        holdings = Holdings(history, of: app, at: clock)
        self.groups = groups
        self.unknownTransactions = unknownTransactions
        self.allAccounts = allAccounts
    }

    /// Whether an index is worth while for a second group: for long lists.
    static func isUseful(for history: SubscriptionHistory) -> Bool {
        history.transactions.count + (history.renewals?.count ?? 0) > fewItems
    }

    /// In the order of the list; with `nil` those whose group cannot be determined.
    func transactions(inGroup groupId: String?) -> some Collection<Transaction> {
        let found = groupId.map { groups[$0]?.transactions ?? [] } ?? unknownTransactions
        return found.lazy.map { [history] in history.transactions[$0] }
    }

    /// As ``SubscriptionHistory/accountTokens(inGroup:of:)`` finds them.
    func accountTokens(inGroup groupId: String) -> Set<AppAccountToken> {
        guard let accounts = groups[groupId]?.accounts, !accounts.isEmpty else { return allAccounts }
        return accounts
    }
}

/// What the evidence shows of a customer's past in one group, as far as introductory offers are concerned.
struct IntroductoryPast {
    let groupId: String
    /// A transaction of the group under a trial or introductory price; refunded and upgraded ones count.
    let introductory: Transaction?
    /// A transaction of the group whose time runs at Apple's clock, the customer's own or shared.
    let running: Transaction?
    /// Until when the last grace period of the group lasts, of the customer's own subscription or a shared one; `nil`
    /// where none is running.
    let graceUntil: Timestamp?
    /// The subscription of the group that counts.
    let subscription: Subscription?
    /// A purchase whose group cannot be determined, and which would count if it were this one.
    let undetermined: Bool
    /// Whether all that happened in the group can be seen.
    let isWhole: Bool

    init(
        _ history: SubscriptionHistory,
        inGroup groupId: String,
        by index: GroupIndex,
        at clock: Timestamp,
        standing: GroupStanding?
    ) {
        self.groupId = groupId
        var introductory: Transaction?
        var running: Transaction?
        let ofGroup = index.transactions(inGroup: groupId)
        let newest = index.entries(inGroup: groupId).map { ($0, index.lookup.newestTransaction(of: $0)) }
        let newestById = Dictionary(
            newest.compactMap { entry, transaction in entry.originalTransactionId.map { ($0, transaction) } },
            uniquingKeysWith: { first, _ in first }
        )
        for transaction in ofGroup {
            if Self.isIntroductory(transaction) { introductory = Self.earlier(introductory, transaction) }
            let clock = history.clock(of: transaction.originalTransactionId, at: clock)
            let last = newestById[transaction.originalTransactionId] ?? nil
            if Self.isRunning(transaction, at: clock), !Self.isReplaced(transaction, by: last, at: clock) {
                running = Self.earlier(running, transaction)
            }
        }
        let isUnexplained = index.entries(inGroup: groupId).contains { !index.lookup.hasTransactions(of: $0) }
        if case .subscriber(let subscription) = standing {
            self.subscription = subscription
        } else {
            self.subscription = nil
        }
        graceUntil = newest.compactMap { entry, newest in
            let clock = history.clock(of: entry.originalTransactionId, at: clock)
            let state = Subscription(renewal: entry, newest: newest, at: clock).stateCountingShared
            return state == .gracePeriod ? entry.gracePeriodExpiresDate : nil
        }.max()
        self.introductory = introductory
        self.running = running
        undetermined =
            index.hasUnknownEntry
            || index.transactions(inGroup: nil).contains {
                Self.isIntroductory($0)
                    || Self.isRunning($0, at: history.clock(of: $0.originalTransactionId, at: clock))
            }
        switch history.coverage {
        case .complete: isWhole = history.renewals != nil && !isUnexplained
        case .newestTransactions: isWhole = history.renewals != nil && !isUnexplained && ofGroup.isEmpty
        case .oneSubscription, .partial: isWhole = false
        }
    }

    private static func isIntroductory(_ transaction: Transaction) -> Bool {
        transaction.offer == .introductory && !transaction.isFamilyShared
    }

    private static func isRunning(_ transaction: Transaction, at clock: Timestamp) -> Bool {
        !transaction.isUpgraded && transaction.revocationDate == nil
            && transaction.expiresDate.map { $0 > clock } ?? false
    }

    /// Whether the subscription has moved to another product before a transaction's time was over: an upgrade of which
    /// notifications alone told leaves no mark at what it replaced.
    private static func isReplaced(_ transaction: Transaction, by last: Transaction?, at clock: Timestamp) -> Bool {
        guard let last, last.productId != transaction.productId, let moved = last.purchaseDate,
            let bought = transaction.purchaseDate, let expiry = transaction.expiresDate
        else { return false }
        return bought < moved && moved < expiry && moved <= clock
    }

    /// The earlier of the two, so that the order of a list does not show.
    private static func earlier(_ left: Transaction?, _ right: Transaction) -> Transaction {
        guard let left else { return right }
        return Transaction.isOlder(right, left) ? right : left
    }
}

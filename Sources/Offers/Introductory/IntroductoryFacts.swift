/// What the introductory rules about evidence look at.
struct IntroductoryFacts {
    let app: App
    let productId: String
    /// The product's group; `nil` when the catalog does not have the product.
    let group: SubscriptionGroup?
    let account: Account
    let history: SubscriptionHistory?
    let reading: HistoryReading?
    let now: Timestamp
    let maximumEvidenceAgeSeconds: Int64
}

/// What the evidence shows of a customer's past in one group, as far as introductory offers are concerned.
struct IntroductoryPast {
    let groupId: String
    /// A transaction of the group under a trial or introductory price; refunded and upgraded ones count.
    let introductory: Transaction?
    /// A transaction of the group whose time runs at Apple's clock, the customer's own or shared.
    let running: Transaction?
    /// The subscription of the group that counts.
    let subscription: Subscription?
    /// A purchase whose group cannot be determined, and which would count if it were this one.
    let undetermined: Bool
    /// Whether all that happened in the group can be seen.
    let isWhole: Bool

    init(
        _ history: SubscriptionHistory,
        inGroup groupId: String,
        of app: App,
        at clock: Timestamp,
        standing: GroupStanding?
    ) {
        self.groupId = groupId
        var introductory: Transaction?
        var running: Transaction?
        var undetermined = false
        var bought = false
        for transaction in history.transactions {
            let isRunning =
                !transaction.isUpgraded && transaction.revocationDate == nil
                && transaction.expiresDate.map { $0 > clock } ?? false
            let isIntroductory = transaction.offer == .introductory && !transaction.isFamilyShared
            switch history.groupIdentifier(of: transaction, in: app) {
            case groupId:
                bought = true
                if isIntroductory { introductory = Self.earlier(introductory, transaction) }
                if isRunning { running = Self.earlier(running, transaction) }
            case nil: undetermined = undetermined || isIntroductory || isRunning
            default: break
            }
        }
        let lookup = EntryLookup(history, of: app)
        let entries = (history.renewals ?? []).map { (entry: $0, group: lookup.group(of: $0)) }
        let isUnexplained = entries.contains { $0.group == groupId && !lookup.hasTransactions(of: $0.entry) }
        if case .subscriber(let subscription) = standing {
            self.subscription = subscription
        } else {
            self.subscription = nil
        }
        self.introductory = introductory
        self.running = running
        self.undetermined = undetermined || entries.contains { $0.group == nil }
        switch history.coverage {
        case .complete: isWhole = history.renewals != nil && !isUnexplained
        case .newestTransactions: isWhole = history.renewals != nil && !isUnexplained && !bought
        case .partial: isWhole = false
        }
    }

    /// The earlier of the two, so that the order of a list does not show.
    private static func earlier(_ left: Transaction?, _ right: Transaction) -> Transaction {
        guard let left else { return right }
        return Transaction.isOlder(right, left) ? right : left
    }
}

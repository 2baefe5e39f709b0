/// A customer's past in one group by the evidence, as far as introductory offers are concerned.
struct IntroductoryPast {
    let groupId: String
    /// Under a trial or introductory price; refunded and upgraded ones count.
    let introductory: Transaction?
    /// A transaction of the group whose time runs, the customer's own or shared.
    let running: Transaction?
    /// A subscription that is known to be running, the customer's own or a shared one.
    let active: Subscription?
    /// A subscription in its grace period, the customer's own or a shared one; of several the one whose grace lasts
    /// longest.
    let inGrace: Subscription?
    /// The subscription of the group that counts.
    let subscription: Subscription?
    /// A subscription that was to renew since Apple last spoke of it.
    let renewing: Subscription?
    /// The gap in a sentence, if nobody said when a subscription of the group ends; `nil` if there is none.
    let endNotSaid: String?
    /// A purchase of which nobody said whether it was a trial.
    let maybeIntroductory: Transaction?
    /// Whose group is unknown, in a sentence, where a purchase would count if it were of this group; `nil` if there is none.
    let undetermined: String?
    /// Whether all events in the group can be seen.
    let isWhole: Bool

    init(
        _ book: Book,
        inGroup groupId: String,
        of app: App,
        by all: Subscriptions,
        now: Timestamp,
        status: GroupStatus?
    ) {
        self.groupId = groupId
        var introductory: Transaction?
        var running: Transaction?
        let transactions = book.chapters.lazy.flatMap(\.transactions).map(\.content)
        let groups = Dictionary(all.all.map { ($0.originalTransactionId ?? "", $0.group) }) { $0 ?? $1 }
        func group(of transaction: Transaction) -> String? {
            Book.group(of: transaction, in: app) ?? groups[transaction.originalTransactionId] ?? nil
        }
        let ofGroup = transactions.filter { group(of: $0) == groupId }
        let ofNoGroup = transactions.filter { group(of: $0) == nil }
        let subscriptions = all.all.filter { $0.group == groupId && $0.isSubscription }
        let byId = Dictionary(grouping: subscriptions) { $0.originalTransactionId ?? "" }
        var unsaidOffer: Transaction?
        for transaction in ofGroup where transaction.kind == .subscription {
            if Self.isIntroductory(transaction) { introductory = Self.earlier(introductory, transaction) }
            if Self.maybeIntroductory(transaction) { unsaidOffer = Self.earlier(unsaidOffer, transaction) }
            let found = byId[transaction.originalTransactionId] ?? []
            // Apple's word on the subscription itself counts more than the dates of its transactions.
            guard found.allSatisfy({ $0.renewal.status == nil }) else { continue }
            if Self.isRunning(transaction, at: now),
                !found.contains(where: { Self.isReplaced(transaction, by: $0.transaction, at: now) })
            {
                running = Self.earlier(running, transaction)
            }
        }
        if let unsaid = unsaidOffer, unsaid.isOwnPurchase {
            // Another copy of the purchase may say it.
            unsaidOffer =
                ofGroup.ownPurchases.filter(Self.maybeIntroductory).min(by: Transaction.isOlder)
                ?? ofGroup.filter { $0.ownership.isUnknown && Self.maybeIntroductory($0) }.min(by: Transaction.isOlder)
        }
        let unsaid = subscriptions.filter {
            switch $0.certainty {
            case .notUnderstood, .endNotSaid, .onlyRevokedAhead: true
            case .known, .wasToRenew: false
            }
        }.max(by: StrongestSubscription.isWeaker)
        endNotSaid = unsaid.map { subscription in
            switch subscription.certainty {
            case .endNotSaid: EvidencePhrases.endNotSaid(of: subscription.transaction)
            case .onlyRevokedAhead: EvidencePhrases.onlyRevokedAhead
            case .known, .wasToRenew, .notUnderstood: "\(subscription.phrase)."
            }
        }
        let isUnexplained = subscriptions.contains { !$0.hasNoEntry && !$0.hasRows }
        if case .subscriber(let subscription) = status {
            self.subscription = subscription
        } else {
            self.subscription = nil
        }
        let known = subscriptions.filter { $0.certainty == .known }
        active = known.filter { $0.isMaybe(.active) || $0.isMaybe(.activeAutoRenewOff) }
            .max(by: StrongestSubscription.isWeaker)
        inGrace = known.filter { $0.isMaybe(.gracePeriod) }.max { left, right in
            (left.renewal.gracePeriodExpiresDate?.millisecondsSince1970 ?? 0)
                < (right.renewal.gracePeriodExpiresDate?.millisecondsSince1970 ?? 0)
        }
        renewing = subscriptions.filter { if case .wasToRenew = $0.certainty { true } else { false } }
            .max(by: StrongestSubscription.isWeaker)
        self.introductory = introductory
        maybeIntroductory = unsaidOffer
        self.running = running
        let isUndetermined =
            all.all.contains { !$0.hasNoEntry && $0.group == nil }
            || ofNoGroup.contains {
                Self.isIntroductory($0) || $0.ownership.isUnknown && Self.maybeIntroductory($0)
                    || Self.isRunning($0, at: now)
            } || ofNoGroup.ownPurchases.contains { $0.expiresDate != nil && Self.maybeIntroductory($0) }
        undetermined = isUndetermined ? EvidencePhrases.groupUnknown(of: book, in: app) : nil
        switch book.listing?.coverage {
        case .complete: isWhole = !isUnexplained
        case .newestTransactions: isWhole = !isUnexplained && ofGroup.isEmpty
        case .oneSubscription, .withoutEntries, .partial, nil: isWhole = false
        }
    }

    private static func isIntroductory(_ transaction: Transaction) -> Bool {
        transaction.offer == .introductory && transaction.isOwnPurchase
    }

    /// Whether it may have been the customer's own trial, as far as it says.
    private static func maybeIntroductory(_ transaction: Transaction) -> Bool {
        switch transaction.ownership {
        case .purchased: !transaction.isOfferSaid
        case .unknown: !transaction.isOfferSaid || transaction.offer == .introductory
        case .familyShared, .assigned: false
        }
    }

    private static func isRunning(_ transaction: Transaction, at clock: Timestamp) -> Bool {
        !transaction.isUpgraded && transaction.revocationDate == nil
            && transaction.expiresDate.map { $0 > clock } ?? false
    }

    /// Whether the subscription has moved to another product before a transaction's time was over.
    ///
    /// An upgrade of which notifications alone reported leaves no mark at the product that it replaced.
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

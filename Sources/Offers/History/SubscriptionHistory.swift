/// The history of a customer, in one form for all kinds of evidence: decisions read nothing else.
package struct SubscriptionHistory: Equatable, Sendable {
    /// `nil` where the evidence does not say.
    package var bundleId: String?
    /// `nil` where the evidence does not say, or names none of Apple's.
    package var environment: AppStoreEnvironment?
    /// Apple's clock when it made the evidence; `nil` where it does not say.
    package var asOf: Timestamp?
    /// The renewal of each subscription; `nil` if the evidence does not say.
    package var renewals: [RenewalInfo]?
    /// In no order that counts.
    package var transactions: [Transaction]
    package var coverage: HistoryCoverage
    /// Whether it is held state alone, without evidence.
    package internal(set) var isHeld = false
    /// Whether held state replaces an answer of Apple, who could not be reached: see ``standingIn()``.
    private(set) var isStandIn = false
    /// The additions of held state, by the identifiers of subscriptions.
    var heldShares: [String: HeldShare] = [:]
    /// Redemptions by subscriptions of the account that are not in the lists.
    var otherRedemptions: [OfferRedemption] = []
    /// Recorded transactions of subscriptions that redeemed an offer, if the evidence lacks them or has other values.
    ///
    /// They count only as redemptions.
    var recordedTransactions: [Transaction] = []
    /// The identifiers that held state knows to be of one subscription with another.
    var linkedIds: [String: Set<String>] = [:]
    /// The other identifiers of subscriptions that have had several, by the first one, which stands for all of them.
    package internal(set) var otherIds: [String: [String]] = [:]

    package init(
        bundleId: String?,
        environment: AppStoreEnvironment?,
        asOf: Timestamp?,
        renewals: [RenewalInfo]?,
        transactions: [Transaction],
        coverage: HistoryCoverage = .complete
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.asOf = asOf
        self.renewals = renewals
        self.transactions = transactions
        self.coverage = coverage
    }
}

extension SubscriptionHistory {
    /// Marks held state that replaces an answer of Apple: explanations then say that Apple could not be reached.
    package func standingIn() -> SubscriptionHistory {
        var history = self
        history.isStandIn = true
        return history
    }

    /// The clock of expiry and grace: Apple's when it made the evidence; `nil` where the evidence carries no date.
    ///
    /// Signed transactions have no time of their own, and held state has many: both are judged at the server's clock.
    func clock(at now: Timestamp) -> Timestamp? {
        guard let asOf else { return nil }
        return isJudgedByServersClock ? now : asOf
    }

    /// The clock of one subscription: Apple's at the newest report of that subscription, which says nothing of others.
    ///
    /// Without a report it is the clock of all others, by ``clock(at:)``.
    func clock(of id: String?, at clock: Timestamp) -> Timestamp {
        guard !heldShares.isEmpty, !isJudgedByServersClock, let id, let share = heldShares[id] else { return clock }
        return max(clock, share.asOf)
    }

    /// The clocks of one subscription: held state alone is as old as each part of it, as without evidence.
    func clocks(of id: String?, at clock: Timestamp, now: Timestamp) -> SubscriptionClocks {
        if !heldShares.isEmpty, let id, heldShares[id]?.isWhole == true {
            return SubscriptionClocks(apples: now, now: now, isSignedByPart: true)
        }
        return SubscriptionClocks(
            apples: self.clock(of: id, at: clock),
            now: now,
            isSignedByPart: isJudgedByServersClock
        )
    }

    /// The addition of held state to a subscription.
    func heldShare(of subscription: Subscription?) -> HeldShare? {
        heldShares.isEmpty ? nil : subscription?.originalTransactionId.flatMap { heldShares[$0] }
    }

    /// Whether an identifier is one of its transactions, of its subscriptions, or of the customer's download of the
    /// app.
    package func names(_ id: String) -> Bool {
        transactions.contains { $0.transactionId == id || $0.originalTransactionId == id || $0.appTransactionId == id }
            || renewals?.contains { $0.originalTransactionId == id } ?? false
            || otherIds.values.contains { $0.contains(id) }
    }

    /// Without held subscriptions that are too old to make anybody eligible; `nil` where there are none.
    var withoutOverAge: SubscriptionHistory? {
        guard heldShares.contains(where: { $1.isOverAge }) else { return nil }
        var rest = self
        rest.transactions.removeAll { heldShares[$0.originalTransactionId]?.isOverAge == true }
        rest.renewals?.removeAll { $0.originalTransactionId.flatMap { heldShares[$0] }?.isOverAge == true }
        rest.heldShares = heldShares.filter { !$1.isOverAge }
        return rest
    }

    /// Whether expiry and grace are judged at the server's clock.
    var isJudgedByServersClock: Bool { coverage == .partial || isHeld }
}

extension SubscriptionHistory {
    /// The group of a transaction's product: by the catalog, else by the evidence.
    func groupIdentifier(of transaction: Transaction, in app: App) -> String? {
        app.product(transaction.productId)?.group.id ?? transaction.subscriptionGroupIdentifier
    }
}

extension SubscriptionHistory {
    /// The accounts that the evidence names for a group; where the group's purchases name none, those of any purchase.
    ///
    /// With `nil`, for the whole app, those of any purchase. One person may have bought for several accounts of the
    /// app, and each of them is theirs. Evidence that names accounts belongs to these accounts alone: a leaked receipt
    /// must not serve strangers.
    func accountTokens(inGroup groupId: String?, of app: App) -> Set<AppAccountToken> {
        var ofGroup: Set<AppAccountToken> = []
        var ofOthers: Set<AppAccountToken> = []
        for transaction in transactions {
            guard let token = transaction.appAccountToken else { continue }
            if groupId == nil || groupIdentifier(of: transaction, in: app) == groupId {
                ofGroup.insert(token)
            } else {
                ofOthers.insert(token)
            }
        }
        return ofGroup.isEmpty ? ofOthers : ofGroup
    }

    /// Whether its subscriptions need not be one person's.
    ///
    /// A sender chooses which signed transactions to show, and held state was learnt from many requests. In an answer
    /// of Apple's about a receipt or a transaction all of them are of one Apple Account.
    var isComposed: Bool { coverage == .partial || isHeld }

    /// Whether a subscription need not be of one person with others: by a composed history, or added by held state to
    /// an answer of Apple's.
    private func isByItself(_ id: String) -> Bool { isComposed || heldShares[id]?.isWhole == true }

    /// Without the subscriptions whose purchases name other accounts alone, where they need not be the same person's.
    ///
    /// A purchase of one's own must not make those beside it one's own. `nil` where nothing is left out.
    func leavingOutOthers(than account: Account) -> SubscriptionHistory? {
        guard isComposed || heldShares.values.contains(where: \.isWhole) else { return nil }
        let own = account.storedToken
        var isOwn: [String: Bool] = [:]
        for transaction in transactions {
            guard let token = transaction.appAccountToken, isByItself(transaction.originalTransactionId) else {
                continue
            }
            isOwn[transaction.originalTransactionId, default: false] =
                isOwn[transaction.originalTransactionId, default: false] || token == own
        }
        guard isOwn.values.contains(false) else { return nil }
        var rest = self
        rest.transactions.removeAll { isOwn[$0.originalTransactionId] == false }
        rest.renewals?.removeAll { $0.originalTransactionId.map { isOwn[$0] == false } ?? false }
        return rest
    }

    /// Whether the purchases of a subscription name an account, or, in a history of one Apple Account, any purchase
    /// does.
    func namesAccount(of subscription: Subscription?) -> Bool {
        let id = subscription?.originalTransactionId
        if isComposed || heldShare(of: subscription)?.isWhole == true {
            return transactions.contains { $0.appAccountToken != nil && $0.originalTransactionId == id }
        }
        return transactions.contains { $0.appAccountToken != nil && !isByItself($0.originalTransactionId) }
    }
}

/// How much of a customer's past the evidence shows: whether its omissions are known not to have happened.
package enum HistoryCoverage: Sendable {
    /// Every subscription with every transaction, as a verifyReceipt answer has them.
    case complete
    /// Every subscription, each with its newest transaction alone, as Get All Subscription Statuses has them.
    ///
    /// That a group was never subscribed to can be known; that an introductory offer was never used cannot.
    case newestTransactions
    /// One subscription alone, as the answer about an iOS 6 style transaction receipt has it.
    ///
    /// Nothing can be known of others, nor of the past of that one.
    case oneSubscription
    /// The part that the sender chose to show, as with signed transactions: omissions cannot be seen.
    case partial

    /// Whether a subscription that it does not have is known not to exist.
    var showsEverySubscription: Bool {
        switch self {
        case .complete, .newestTransactions: true
        case .oneSubscription, .partial: false
        }
    }
}

/// A constant history in a class: a request passes it on many times, and a copy of the struct would take as long as a
/// rule.
package final class SharedHistory: Sendable {
    package let value: SubscriptionHistory

    /// Joins the identifiers of one subscription.
    package init(_ value: SubscriptionHistory) {
        self.value = value.joiningIds()
    }
}

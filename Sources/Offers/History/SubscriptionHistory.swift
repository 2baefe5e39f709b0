/// The history of a customer, in one form for all kinds of evidence: decisions read nothing else.
package struct SubscriptionHistory: Equatable, Sendable {
    /// The app that the evidence is about; `nil` where it does not say.
    package var bundleId: String?
    /// The environment that the evidence is from; `nil` where it does not say, or names none of Apple's.
    package var environment: AppStoreEnvironment?
    /// Apple's clock when it made the evidence; `nil` where it does not say.
    package var asOf: Timestamp?
    /// The renewal of each subscription; `nil` if the evidence does not say.
    package var renewals: [RenewalInfo]?
    /// The purchases and renewals, in no order that counts.
    package var transactions: [Transaction]
    /// How much of the customer's past the evidence shows.
    package var coverage: HistoryCoverage
    /// Whether it is held state alone, without evidence.
    package internal(set) var isHeld = false
    /// Whether held state replaces an answer of Apple, who could not be reached: see ``standingIn()``.
    private(set) var isStandIn = false
    /// What held state adds to the evidence, by the identifiers of subscriptions; empty where it adds nothing.
    var heldShares: [String: HeldShare] = [:]
    /// Redemptions by subscriptions of the account that are not in the lists.
    var otherRedemptions: [OfferRedemption] = []
    /// Recorded transactions of subscriptions that redeemed an offer, if the evidence lacks them or has other values:
    /// they count only as redemptions.
    var recordedTransactions: [Transaction] = []
    /// The identifiers that held state knows to be of one subscription with another.
    var linkedIds: [String: Set<String>] = [:]
    /// The other identifiers of subscriptions that have had several, by the first one, which stands for all of them.
    package internal(set) var otherIds: [String: [String]] = [:]

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - bundleId: The app that the evidence is about.
    ///   - environment: The environment that it is from.
    ///   - asOf: Apple's clock when it made the evidence.
    ///   - renewals: What comes next for each subscription; `nil` where the evidence cannot tell.
    ///   - transactions: The purchases and renewals, in any order.
    ///   - coverage: How much of the customer's past the evidence shows.
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
    ///
    /// - Returns: The marked history.
    package func standingIn() -> SubscriptionHistory {
        var history = self
        history.isStandIn = true
        return history
    }

    /// The clock at which expiry and grace are judged: Apple's when it made the evidence, see ``clock(of:at:)``.
    ///
    /// Signed transactions have no time of their own, and held state has many: both are judged at the
    /// server's clock.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: The clock; `nil` where the evidence carries no date.
    func clock(at now: Timestamp) -> Timestamp? {
        guard let asOf else { return nil }
        return isJudgedByServersClock ? now : asOf
    }

    /// The clock at which one subscription is judged: Apple's at the newest report of that subscription.
    ///
    /// A newer report of another one says nothing of it.
    ///
    /// - Parameters:
    ///   - id: The subscription; `nil` where the evidence does not say.
    ///   - clock: The clock of all others, by ``clock(at:)``.
    /// - Returns: The clock.
    func clock(of id: String?, at clock: Timestamp) -> Timestamp {
        guard !heldShares.isEmpty, !isJudgedByServersClock, let id, let share = heldShares[id] else { return clock }
        return max(clock, share.asOf)
    }

    /// The clocks by which one subscription is judged: what is held alone is as old as each part of it, as without
    /// evidence.
    ///
    /// - Parameters:
    ///   - id: The subscription; `nil` where the evidence does not say.
    ///   - clock: The clock of all subscriptions, by ``clock(at:)``.
    ///   - now: The server's clock.
    /// - Returns: The clocks.
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

    /// What held state adds to a subscription.
    func heldShare(of subscription: Subscription?) -> HeldShare? {
        heldShares.isEmpty ? nil : subscription?.originalTransactionId.flatMap { heldShares[$0] }
    }

    /// Whether an identifier is one of its transactions, of its subscriptions, or of the customer's download of the app.
    package func names(_ id: String) -> Bool {
        transactions.contains { $0.transactionId == id || $0.originalTransactionId == id || $0.appTransactionId == id }
            || renewals?.contains { $0.originalTransactionId == id } ?? false
            || otherIds.values.contains { $0.contains(id) }
    }

    /// The history without held subscriptions that are too old to make anybody eligible; `nil` where there are none.
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
    /// The group that a transaction's product is in: by the catalog, else as the evidence says.
    func groupIdentifier(of transaction: Transaction, in app: App) -> String? {
        app.product(transaction.productId)?.group.id ?? transaction.subscriptionGroupIdentifier
    }
}

extension SubscriptionHistory {
    /// The accounts that the evidence names for a group; where the group's purchases name none, those of any purchase.
    ///
    /// For the whole app, those of any purchase. One person may have bought for several accounts of the app, and each of
    /// them is theirs. Evidence that names accounts belongs to these accounts alone: a leaked receipt must not serve
    /// strangers.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog.
    /// - Returns: The tokens, without order or repetition.
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

    /// Whether its subscriptions need not be one person's: a sender chooses which signed transactions to show, and held
    /// state was learnt from many requests.
    ///
    /// In an answer of Apple's about a receipt or a transaction all of them are of one Apple Account.
    var isComposed: Bool { coverage == .partial || isHeld }

    /// Whether a subscription need not be the same person's as others: in a composed history, or added to an answer of
    /// Apple's by held state.
    private func isByItself(_ id: String) -> Bool { isComposed || heldShares[id]?.isWhole == true }

    /// The history without the subscriptions whose purchases name other accounts alone, where they need not be the same
    /// person's: beside them, one purchase of one's own must not make them one's own.
    ///
    /// - Parameter account: The account that is asked for.
    /// - Returns: What is left; `nil` where nothing is left out.
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

    /// Whether the purchases of a subscription name an account, or, where it is all of one Apple Account, any purchase
    /// does.
    func namesAccount(of subscription: Subscription?) -> Bool {
        let id = subscription?.originalTransactionId
        if isComposed || heldShare(of: subscription)?.isWhole == true {
            return transactions.contains { $0.appAccountToken != nil && $0.originalTransactionId == id }
        }
        return transactions.contains { $0.appAccountToken != nil && !isByItself($0.originalTransactionId) }
    }
}

/// How much of a customer's past the evidence shows: whether what it leaves out is known not to have happened.
package enum HistoryCoverage: Sendable {
    /// Every subscription with every transaction, as a verifyReceipt answer has them.
    case complete
    /// Every subscription, each with its newest transaction alone, as Get All Subscription Statuses has them.
    ///
    /// That a group was never subscribed to can be known; that an introductory offer was never used cannot.
    case newestTransactions
    /// One subscription alone, as the answer about an iOS 6 style transaction receipt has it: of others, and of what
    /// that one was before, nothing can be known.
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

/// A constant history in a class: a request passes it on many times, and each copy of the struct would take as long as
/// a rule.
package final class SharedHistory: Sendable {
    /// The history.
    package let value: SubscriptionHistory

    /// Shares a history, in which the identifiers of one subscription are joined.
    ///
    /// - Parameter value: The history.
    package init(_ value: SubscriptionHistory) {
        self.value = value.joiningIds()
    }
}

/// What the evidence says of a customer, whatever kind of evidence it was: the one thing that decisions read.
public struct SubscriptionHistory: Equatable, Sendable {
    /// The app that the evidence is about; `nil` where it does not say.
    public var bundleId: String?
    /// The environment that the evidence is from; `nil` where it does not say, or names none of Apple's.
    public var environment: AppStoreEnvironment?
    /// Apple's clock when it made the evidence; `nil` where it does not say.
    public var asOf: Timestamp?
    /// What comes next for each subscription; `nil` where the evidence cannot tell.
    public var renewals: [RenewalInfo]?
    /// The purchases and renewals, in no order that counts.
    public var transactions: [Transaction]
    /// How much of the customer's past the evidence shows.
    public var coverage: HistoryCoverage
    /// Whether it is held state alone, without evidence.
    public internal(set) var isHeld = false
    /// Whether it stands for what Apple could not be asked: see ``standingIn()``.
    private(set) var isStandIn = false
    /// What held state adds to the evidence, by the identifiers of subscriptions; empty where it adds nothing.
    var heldShares: [String: HeldShare] = [:]
    /// Redemptions by subscriptions of the account that are not in the lists.
    var otherRedemptions: [OfferRedemption] = []
    /// Transactions on record of subscriptions that redeemed an offer, which the evidence leaves out or tells otherwise:
    /// they count for redemptions alone.
    var recordedTransactions: [Transaction] = []

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - bundleId: The app that the evidence is about.
    ///   - environment: The environment that it is from.
    ///   - asOf: Apple's clock when it made the evidence.
    ///   - renewals: What comes next for each subscription; `nil` where the evidence cannot tell.
    ///   - transactions: The purchases and renewals, in any order.
    ///   - coverage: How much of the customer's past the evidence shows.
    public init(
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
    /// Held state in place of evidence that only Apple could have told: explanations say that it could not be asked.
    ///
    /// - Returns: The history, which says so of itself.
    public func standingIn() -> SubscriptionHistory {
        var history = self
        history.isStandIn = true
        return history
    }

    /// The clock at which expiry and grace are judged: Apple's when it made the evidence, see ``clock(of:at:)``.
    ///
    /// Signed transactions do not tell the time, and held state was told at many times: what they say is judged at the
    /// server's clock.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: The clock; `nil` where the evidence carries no date.
    func clock(at now: Timestamp) -> Timestamp? {
        guard let asOf else { return nil }
        return isJudgedByServersClock ? now : asOf
    }

    /// The clock at which one subscription is judged: Apple's when it told the newest of that subscription.
    ///
    /// What was learnt since of another one says nothing of it.
    ///
    /// - Parameters:
    ///   - id: The subscription; `nil` where the evidence does not say.
    ///   - clock: The clock of all others, by ``clock(at:)``.
    /// - Returns: The clock.
    func clock(of id: String?, at clock: Timestamp) -> Timestamp {
        guard !heldShares.isEmpty, !isJudgedByServersClock, let id, let share = heldShares[id] else { return clock }
        return max(clock, share.asOf)
    }

    /// The clocks by which one subscription is judged.
    ///
    /// - Parameters:
    ///   - renewal: Its entry.
    ///   - clock: The clock of all subscriptions, by ``clock(at:)``.
    ///   - now: The server's clock.
    /// - Returns: The clocks.
    func clocks(of renewal: RenewalInfo, at clock: Timestamp, now: Timestamp) -> SubscriptionClocks {
        SubscriptionClocks(
            apples: self.clock(of: renewal.originalTransactionId, at: clock),
            now: now,
            isSignedByPart: isJudgedByServersClock
        )
    }

    /// What held state adds to a subscription.
    ///
    /// - Parameter subscription: The subscription; `nil` names none.
    /// - Returns: Its share; `nil` where it adds nothing.
    func heldShare(of subscription: Subscription?) -> HeldShare? {
        heldShares.isEmpty ? nil : subscription?.originalTransactionId.flatMap { heldShares[$0] }
    }

    /// Whether expiry and grace are judged at the server's clock.
    var isJudgedByServersClock: Bool { coverage == .partial || isHeld }
}

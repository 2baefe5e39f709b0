import Synchronization

// What rules look at. References, as every rule is handed them: copying the values in them for each would take longer
// than the rules themselves.

/// What the rule about the catalog looks at.
struct CatalogFacts {
    let request: OfferRequest
    /// The product and its group; `nil` when the catalog does not have it.
    let place: (product: Product, group: SubscriptionGroup)?
    /// The offer; `nil` when the product does not have it.
    let offer: PromotionalOffer?

    init(app: App, request: OfferRequest) {
        self.request = request
        place = app.product(request.productId)
        offer = place?.product.offer(request.offerId)
    }
}

/// What is the same for every decision of one request.
final class RequestFacts: Sendable {
    let app: App
    let account: Account
    /// What the evidence says; `nil` when there is none.
    let history: SharedHistory?
    /// What the ledger holds of the customer; `nil` where it was not asked.
    let standing: LedgerStanding?
    /// The server's clock.
    let now: Timestamp
    /// How old evidence may be, in seconds; 0 for no limit.
    let maximumEvidenceAgeSeconds: Int64

    /// How often the customer has redeemed each offer, as far as the evidence shows: counted when the first offer asks,
    /// for all of them at once; `nil` without evidence.
    var redemptions: RedemptionTally? {
        guard let history else { return nil }
        return tally.withLock { tally in
            if let tally { return tally }
            let counted = RedemptionTally(history.value, of: app)
            tally = counted
            return counted
        }
    }

    /// The same as ``redemptions`` where an offer has asked; `nil` where none has yet.
    var countedRedemptions: RedemptionTally? { tally.withLock { $0 } }

    private let tally: Mutex<RedemptionTally?>

    init(app: App, customer: Customer, now: Timestamp, maximumEvidenceAgeSeconds: Int64) {
        self.app = app
        self.account = customer.account
        self.history = customer.history
        self.standing = customer.standing
        self.now = now
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        tally = Mutex(nil)
    }

    /// The same facts, with what the ledger holds.
    init(_ facts: RequestFacts, hearing standing: LedgerStanding) {
        app = facts.app
        account = facts.account
        history = facts.history
        self.standing = standing
        now = facts.now
        maximumEvidenceAgeSeconds = facts.maximumEvidenceAgeSeconds
        tally = Mutex(facts.countedRedemptions)
    }
}

/// What was found in the evidence for one group, or for the whole app: looked for once in a request.
final class HistoryReading: Sendable {
    /// What the customer is there; `nil` when the evidence carries no date to judge it at.
    let standing: GroupStanding?
    /// The subscription that counts; `nil` when there is none.
    let subscription: Subscription?
    /// The accounts that the evidence names.
    let accounts: Set<AppAccountToken>
    /// The date by which its age is judged: of the transaction and renewal info that count, where they have their own.
    let date: Timestamp?
    /// Whether the subscription was to renew after the last that is held of it, so that nobody here knows what became
    /// of it.
    let isOverdue: Bool

    /// Looks for it.
    ///
    /// - Parameters:
    ///   - history: What the evidence says.
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog.
    ///   - now: The server's clock.
    ///   - index: What the history has of each group, where many are looked for.
    init(
        _ history: SubscriptionHistory,
        inGroup groupId: String?,
        of app: App,
        at now: Timestamp,
        by index: GroupIndex? = nil
    ) {
        let clock = history.clock(at: now)
        if let index, let groupId {
            standing = clock.map { history.standing(inGroup: groupId, by: index, at: $0) }
            accounts = index.accountTokens(inGroup: groupId)
        } else {
            standing = clock.map { history.standing(inGroup: groupId, of: app, at: $0) }
            accounts = history.accountTokens(inGroup: groupId, of: app)
        }
        date = Self.date(of: history, standing)
        isOverdue = history.isHeld && Self.isOverdue(standing, since: date)
        if case .subscriber(let subscription) = standing {
            self.subscription = subscription
        } else {
            self.subscription = nil
        }
    }

    private static func date(of history: SubscriptionHistory, _ standing: GroupStanding?) -> Timestamp? {
        guard case .subscriber(let subscription) = standing else { return history.asOf }
        let (bought, renewal) = (subscription.transaction?.signedDate, subscription.renewal.signedDate)
        let newest = bought.map { max($0, renewal ?? $0) } ?? renewal
        if history.isHeld { return newest ?? history.asOf }
        if history.coverage == .partial {
            return bought.map { min($0, renewal ?? $0) } ?? renewal ?? history.asOf
        }
        guard history.newestHeldDate != nil, let asOf = history.asOf else { return history.asOf }
        return newest.map { max($0, asOf) } ?? asOf
    }

    private static func isOverdue(_ standing: GroupStanding?, since date: Timestamp?) -> Bool {
        guard case .subscriber(let subscription) = standing, subscription.state == .lapsed, let date,
            let expiry = subscription.transaction?.expiresDate
        else { return false }
        return expiry > date && subscription.renewal.autoRenewStatus != false
    }
}

/// What an offer's rules look at before the customer's subscription is known.
final class OfferFacts: Sendable {
    let request: RequestFacts
    let product: Product
    let group: SubscriptionGroup
    let offer: PromotionalOffer
    /// What was found in the evidence for the offer's scope; `nil` when there is none.
    let reading: HistoryReading?

    var app: App { request.app }
    var history: SharedHistory? { request.history }
    var now: Timestamp { request.now }

    /// The subscription that counts, by the identifier of its first purchase.
    var originalTransactionId: String? { reading?.subscription?.originalTransactionId }

    /// Whether the account is one of those that are counted: one that the evidence does not name.
    ///
    /// What is held of an account is its own, and was not presented.
    var countsAccounts: Bool {
        reading?.accounts.isEmpty == true && request.account != .none && history?.value.isHeld == false
    }

    /// For whom the subscription was presented, as the ledger has it; `nil` where it was not asked.
    var presentations: LedgerStanding.Presentations? {
        originalTransactionId.flatMap { request.standing?.presentations[$0] }
    }

    /// How many signatures the customer got, as the ledger has it; `nil` where it was not asked.
    var signatures: Int? { request.standing?.signatures[catalogName] }

    /// How often the customer has redeemed the offer, as far as the evidence shows.
    var redemptions: Int { request.redemptions?.redemptions(ofOffer: offer.id, inGroup: group.id) ?? 0 }

    private let catalogName: OfferRequest

    /// Puts together what is known; `nil` for an offer that the catalog lacks.
    init?(
        _ request: RequestFacts,
        _ name: OfferRequest,
        reading: (PromotionalOffer, SubscriptionGroup) -> HistoryReading?
    ) {
        guard let (product, group) = request.app.product(name.productId), let offer = product.offer(name.offerId) else {
            return nil
        }
        self.request = request
        catalogName = name
        self.product = product
        self.group = group
        self.offer = offer
        self.reading = reading(offer, group)
    }
}

/// What an offer's rules look at once it is known which subscription counts.
final class SubscriberFacts: Sendable {
    let offerFacts: OfferFacts
    /// The clock at which expiry is judged.
    let clock: Timestamp
    /// The subscription that counts.
    let subscription: Subscription
    /// What the customer is, shared purchases counted where the offer allows them.
    let held: SubscriberState
    /// What the audience is asked about: a refunded customer has lapsed.
    let state: SubscriberState

    var offer: PromotionalOffer { offerFacts.offer }

    /// Takes the facts from the evidence; `nil` when it has no subscription, or no date.
    init?(_ facts: OfferFacts) {
        guard let clock = facts.history?.value.clock(at: facts.now), let subscription = facts.reading?.subscription
        else { return nil }
        offerFacts = facts
        self.clock = clock
        self.subscription = subscription
        let countsShared = facts.offer.familyShared == .allow && subscription.state == .familyShared
        held = countsShared ? subscription.stateCountingShared : subscription.state
        state = held == .refunded ? .lapsed : held
    }

    /// For how many milliseconds a lapsed customer has been away at Apple's clock; `nil` when that is not known.
    var lapsedMilliseconds: Int64? {
        subscription.endsAt.map { end in
            let (time, overflow) = clock.millisecondsSince1970.subtractingReportingOverflow(end.millisecondsSince1970)
            return overflow ? .max : time
        }
    }
}

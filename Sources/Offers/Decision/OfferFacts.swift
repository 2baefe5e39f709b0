/// What the rule about the catalog looks at.
struct CatalogFacts {
    let app: App
    let request: OfferRequest
}

/// What an offer's rules look at before the customer's subscription is known.
struct OfferFacts {
    let app: App
    let group: SubscriptionGroup
    let offer: PromotionalOffer
    let account: Account
    /// What the evidence says; `nil` when there is none.
    let history: SubscriptionHistory?
    /// What was found in it for the offer's scope; `nil` when there is none.
    let reading: HistoryReading?
    /// The server's clock.
    let now: Timestamp
    /// How old evidence may be, in seconds; 0 for no limit.
    let maximumEvidenceAgeSeconds: Int64
}

/// What was found in the evidence for one group, or for the whole app: looked for once in a request.
struct HistoryReading: Sendable {
    /// What the customer is there; `nil` when the evidence carries no date to judge it at.
    let standing: GroupStanding?
    /// The accounts that the evidence names.
    let accounts: Set<AppAccountToken>

    init(_ history: SubscriptionHistory, inGroup groupId: String?, of app: App) {
        standing = history.asOf.map { history.standing(inGroup: groupId, of: app, at: $0) }
        accounts = history.accountTokens(inGroup: groupId, of: app)
    }
}

/// What an offer's rules look at once it is known which subscription counts.
struct SubscriberFacts {
    let app: App
    let group: SubscriptionGroup
    let offer: PromotionalOffer
    let history: SubscriptionHistory
    /// Apple's clock when it made the evidence.
    let clock: Timestamp
    /// The subscription that counts.
    let subscription: Subscription
    /// What the customer is, shared purchases counted where the offer allows them.
    let held: SubscriberState
    /// What the audience is asked about: a refunded customer has lapsed.
    let state: SubscriberState

    init(_ facts: OfferFacts, history: SubscriptionHistory, clock: Timestamp, subscription: Subscription) {
        app = facts.app
        group = facts.group
        offer = facts.offer
        self.history = history
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

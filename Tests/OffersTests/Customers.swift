import Offers

// A small language for customers, so that a row of a table reads like a sentence. Days count from the clock of all
// tests, 2026-11-21T12:00:00Z; before it they are negative.

let clock = Timestamp(millisecondsSince1970: 1_795_262_400_000)

func day(_ days: Double) -> Timestamp {
    Timestamp(millisecondsSince1970: clock.millisecondsSince1970 + Int64(days * 86_400_000))
}

/// An app with two groups: Pro (monthly, yearly) and News (monthly).
func exampleApp(environments: Set<AppStoreEnvironment> = [.production]) -> App {
    App(
        bundleId: "com.example.reader",
        environments: environments,
        subscriptionGroups: [
            SubscriptionGroup(
                id: "pro",
                products: [
                    Product(
                        id: "pro.monthly",
                        period: .months(1),
                        level: 2,
                        offers: [
                            PromotionalOffer(id: "anyone"),
                            PromotionalOffer(id: "comeback") { $0.audience = [.lapsed] },
                            PromotionalOffer(id: "stay") { $0.audience = [.activeAutoRenewOff, .billingRetry] },
                            PromotionalOffer(id: "once") { $0.maxRedemptions = 1 },
                            PromotionalOffer(id: "twice") { $0.maxRedemptions = 2 },
                            PromotionalOffer(id: "soon") { $0.startsAt = day(1) },
                            PromotionalOffer(id: "from-now") { $0.startsAt = clock },
                            PromotionalOffer(id: "gone") { $0.endsAt = day(-1) },
                            PromotionalOffer(id: "until-now") { $0.endsAt = clock },
                            PromotionalOffer(id: "this-week") {
                                $0.startsAt = day(-3)
                                $0.endsAt = day(4)
                            },
                        ] + exampleRules
                    ),
                    Product(
                        id: "pro.yearly",
                        period: .months(12),
                        level: 2,
                        offers: [PromotionalOffer(id: "upgrade") { $0.audience = [.active] }]
                    ),
                    Product(id: "max.monthly", period: .months(1), level: 1, offers: [PromotionalOffer(id: "higher")]),
                    Product(id: "basic.monthly", period: .months(1), level: 3, offers: [PromotionalOffer(id: "lower")]),
                    Product(
                        id: "other.monthly",
                        period: .months(1),
                        level: 2,
                        offers: [PromotionalOffer(id: "beside")]
                    ),
                    Product(id: "unranked", offers: [PromotionalOffer(id: "somewhere")]),
                ]
            ),
            SubscriptionGroup(
                id: "news",
                products: [Product(id: "news.monthly", offers: [PromotionalOffer(id: "extra")])]
            ),
        ]
    )
}

/// The offers of pro.monthly that each show one of the catalog's rules.
private let exampleRules = [
    PromotionalOffer(id: "whole-app") { $0.scope = .app },
    PromotionalOffer(id: "whole-app-lapsed") {
        $0.audience = [.lapsed]
        $0.scope = .app
    },
    PromotionalOffer(id: "whole-app-once") {
        $0.maxRedemptions = 1
        $0.scope = .app
    },
    PromotionalOffer(id: "from-year") { $0.fromProducts = ["pro.yearly"] },
    PromotionalOffer(id: "from-news") {
        $0.scope = .app
        $0.fromProducts = ["news.monthly"]
    },
    PromotionalOffer(id: "after-30") { $0.minimumLapsedDays = 30 },
    PromotionalOffer(id: "within-60") { $0.maximumLapsedDays = 60 },
    PromotionalOffer(id: "30-to-60") {
        $0.audience = [.lapsed]
        $0.minimumLapsedDays = 30
        $0.maximumLapsedDays = 60
    },
    PromotionalOffer(id: "forgive") { $0.afterRefund = .allow },
    PromotionalOffer(id: "forgive-later") {
        $0.minimumLapsedDays = 30
        $0.afterRefund = .allow
    },
    PromotionalOffer(id: "whole-app-forgive-later") {
        $0.scope = .app
        $0.minimumLapsedDays = 30
        $0.afterRefund = .allow
    },
    PromotionalOffer(id: "from-news-forgive") {
        $0.scope = .app
        $0.fromProducts = ["news.monthly"]
        $0.afterRefund = .allow
    },
    PromotionalOffer(id: "forgive-lapsed") {
        $0.audience = [.lapsed]
        $0.afterRefund = .allow
    },
    PromotionalOffer(id: "paying") { $0.duringTrial = .refuse },
    PromotionalOffer(id: "seats") { $0.assigned = .allow },
    PromotionalOffer(id: "seats-lapsed") {
        $0.audience = [.lapsed]
        $0.assigned = .allow
    },
    PromotionalOffer(id: "families") { $0.familyShared = .allow },
    PromotionalOffer(id: "families-lapsed") {
        $0.audience = [.lapsed]
        $0.familyShared = .allow
    },
    PromotionalOffer(id: "families-forgive") {
        $0.afterRefund = .allow
        $0.familyShared = .allow
    },
    PromotionalOffer(id: "families-forgive-later") {
        $0.minimumLapsedDays = 30
        $0.afterRefund = .allow
        $0.familyShared = .allow
    },
    PromotionalOffer(id: "strict") {
        $0.audience = [.lapsed]
        $0.endsAt = day(30)
        $0.maxRedemptions = 1
        $0.fromProducts = ["pro.yearly"]
        $0.minimumLapsedDays = 30
        $0.maximumLapsedDays = 60
    },
]

func entry(
    _ id: String? = "1",
    _ product: String? = "pro.monthly",
    renews: Bool? = true,
    ended: Bool = false,
    retrying: Bool = false,
    graceUntil grace: Double? = nil,
    nextOffer: String? = nil,
    group: String? = nil
) -> RenewalInfo {
    RenewalInfo(
        originalTransactionId: id,
        productId: product,
        subscriptionGroupIdentifier: group,
        autoRenewStatus: renews,
        hasExpirationIntent: ended,
        isInBillingRetryPeriod: retrying,
        gracePeriodExpiresDate: grace.map(day),
        offer: nextOffer.map(RedeemedOffer.promotional)
    )
}

func bought(
    _ id: String = "1",
    _ product: String = "pro.monthly",
    on purchase: Double? = -10,
    until expiry: Double? = 20,
    refunded: Double? = nil,
    upgraded: Bool = false,
    shared: Bool = false,
    owner: Ownership? = nil,
    by token: String? = nil,
    under offer: RedeemedOffer? = nil,
    group: String? = nil,
    called transactionId: String? = nil,
    because reason: TransactionReason? = nil
) -> Transaction {
    Transaction(
        originalTransactionId: id,
        productId: product,
        subscriptionGroupIdentifier: group,
        purchaseDate: purchase.map(day),
        expiresDate: expiry.map(day),
        revocationDate: refunded.map(day),
        isUpgraded: upgraded,
        ownership: owner ?? (shared ? .familyShared : .purchased),
        appAccountToken: token.flatMap(AppAccountToken.init),
        offer: offer,
        transactionId: transactionId,
        reason: reason
    )
}

func history(
    _ renewals: [RenewalInfo]?,
    _ transactions: [Transaction] = [],
    of bundleId: String? = "com.example.reader",
    from environment: AppStoreEnvironment? = .production,
    asOf date: Timestamp? = clock,
    coverage: HistoryCoverage = .complete
) -> SubscriptionHistory {
    SubscriptionHistory(
        bundleId: bundleId,
        environment: environment,
        asOf: date,
        renewals: renewals,
        transactions: transactions,
        coverage: coverage
    )
}

/// What a signed transaction says, with its renewal info or alone.
func signed(
    _ transaction: Transaction,
    _ renewal: RenewalInfo? = nil,
    on date: Double
) -> SubscriptionHistory {
    var (transaction, renewal) = (transaction, renewal)
    transaction.signedDate = day(date)
    renewal?.signedDate = day(date)
    let entries = [renewal ?? entry(transaction.originalTransactionId, transaction.productId, renews: nil)]
    return history(entries, [transaction], asOf: day(date), coverage: .partial)
}

/// The policy that decides about a customer at the clock of all tests.
func examplePolicy(
    _ history: SubscriptionHistory?,
    for account: Account = .none,
    of app: App = exampleApp(),
    maximumAge: Int64 = 86_400,
    at now: Timestamp = clock
) -> OfferPolicy {
    OfferPolicy(
        app: app,
        customer: Customer(account: account, history: history),
        now: now,
        maximumEvidenceAgeSeconds: maximumAge
    )
}

/// The decision about the introductory offer of a product, at the clock of all tests.
func introductory(
    _ history: SubscriptionHistory?,
    for account: Account = .none,
    product: String = "pro.monthly",
    explaining: Bool = false
) -> IntroductoryDecision {
    var policy = IntroductoryPolicy(
        app: exampleApp(),
        customer: Customer(account: account, history: history),
        now: clock,
        maximumEvidenceAgeSeconds: 86_400
    )
    return policy.decide(product, explaining: explaining)
}

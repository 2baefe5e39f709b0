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
                            PromotionalOffer(id: "comeback", audience: [.lapsed]),
                            PromotionalOffer(id: "stay", audience: [.activeAutoRenewOff, .billingRetry]),
                            PromotionalOffer(id: "once", maxRedemptions: 1),
                            PromotionalOffer(id: "twice", maxRedemptions: 2),
                            PromotionalOffer(id: "soon", startsAt: day(1)),
                            PromotionalOffer(id: "from-now", startsAt: clock),
                            PromotionalOffer(id: "gone", endsAt: day(-1)),
                            PromotionalOffer(id: "until-now", endsAt: clock),
                            PromotionalOffer(id: "this-week", startsAt: day(-3), endsAt: day(4)),
                        ] + exampleRules
                    ),
                    Product(
                        id: "pro.yearly",
                        period: .months(12),
                        level: 2,
                        offers: [PromotionalOffer(id: "upgrade", audience: [.active])]
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
    PromotionalOffer(id: "whole-app", scope: .app),
    PromotionalOffer(id: "whole-app-lapsed", audience: [.lapsed], scope: .app),
    PromotionalOffer(id: "whole-app-once", maxRedemptions: 1, scope: .app),
    PromotionalOffer(id: "from-year", fromProducts: ["pro.yearly"]),
    PromotionalOffer(id: "from-news", scope: .app, fromProducts: ["news.monthly"]),
    PromotionalOffer(id: "after-30", minimumLapsedDays: 30),
    PromotionalOffer(id: "within-60", maximumLapsedDays: 60),
    PromotionalOffer(id: "30-to-60", audience: [.lapsed], minimumLapsedDays: 30, maximumLapsedDays: 60),
    PromotionalOffer(id: "forgive", afterRefund: .allow),
    PromotionalOffer(id: "forgive-later", minimumLapsedDays: 30, afterRefund: .allow),
    PromotionalOffer(id: "whole-app-forgive-later", scope: .app, minimumLapsedDays: 30, afterRefund: .allow),
    PromotionalOffer(id: "from-news-forgive", scope: .app, fromProducts: ["news.monthly"], afterRefund: .allow),
    PromotionalOffer(id: "forgive-lapsed", audience: [.lapsed], afterRefund: .allow),
    PromotionalOffer(id: "seats", assigned: .allow),
    PromotionalOffer(id: "seats-lapsed", audience: [.lapsed], assigned: .allow),
    PromotionalOffer(id: "families", familyShared: .allow),
    PromotionalOffer(id: "families-lapsed", audience: [.lapsed], familyShared: .allow),
    PromotionalOffer(id: "families-forgive", afterRefund: .allow, familyShared: .allow),
    PromotionalOffer(id: "families-forgive-later", minimumLapsedDays: 30, afterRefund: .allow, familyShared: .allow),
    PromotionalOffer(
        id: "strict",
        audience: [.lapsed],
        endsAt: day(30),
        maxRedemptions: 1,
        fromProducts: ["pro.yearly"],
        minimumLapsedDays: 30,
        maximumLapsedDays: 60
    ),
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

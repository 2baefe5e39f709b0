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
                        ]
                    ),
                    Product(id: "pro.yearly", offers: [PromotionalOffer(id: "upgrade", audience: [.active])]),
                ]
            ),
            SubscriptionGroup(
                id: "news",
                products: [Product(id: "news.monthly", offers: [PromotionalOffer(id: "extra")])]
            ),
        ]
    )
}

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
        promotionalOfferId: nextOffer
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
    by token: String? = nil,
    under offer: RedeemedOffer? = nil,
    group: String? = nil
) -> Transaction {
    Transaction(
        originalTransactionId: id,
        productId: product,
        subscriptionGroupIdentifier: group,
        purchaseDate: purchase.map(day),
        expiresDate: expiry.map(day),
        revocationDate: refunded.map(day),
        isUpgraded: upgraded,
        isFamilyShared: shared,
        appAccountToken: token.flatMap(AppAccountToken.init),
        offer: offer
    )
}

func history(
    _ renewals: [RenewalInfo]?,
    _ transactions: [Transaction] = [],
    of bundleId: String? = "com.example.reader",
    from environment: AppStoreEnvironment? = .production,
    asOf date: Timestamp? = clock
) -> SubscriptionHistory {
    SubscriptionHistory(
        bundleId: bundleId,
        environment: environment,
        asOf: date,
        renewals: renewals,
        transactions: transactions
    )
}

@testable import Offers

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
    PromotionalOffer(id: "cancelled") { $0.lapsedBecause = [.voluntary, .priceIncrease] },
    PromotionalOffer(id: "cancelled-forgive") {
        $0.lapsedBecause = [.voluntary]
        $0.afterRefund = .allow
    },
    PromotionalOffer(id: "in-usa") { $0.storefronts = ["USA", "CAN"] },
    PromotionalOffer(id: "tenured") { $0.minimumTenureDays = 90 },
    PromotionalOffer(id: "whole-app-tenured") {
        $0.scope = .app
        $0.minimumTenureDays = 90
    },
    PromotionalOffer(id: "calm") { $0.duringPriceIncrease = .refuse },
    PromotionalOffer(id: "bundles") { $0.bundled = .allow },
    PromotionalOffer(id: "bundles-active") {
        $0.audience = [.active]
        $0.bundled = .allow
    },
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

/// What evidence shows, in flat lists.
struct Shown: Equatable, Sendable {
    var bundleId: String?
    var environment: AppStoreEnvironment?
    var asOf: Timestamp?
    /// `nil` where the evidence has no list of them.
    var renewals: [RenewalInfo]?
    var transactions: [Transaction]
    var coverage: HistoryCoverage
    /// Who brought what is not signed.
    var source = Source.answer
    /// When the transactions were signed, if not at ``asOf``.
    var signed: Timestamp?
    /// When the renewal infos were signed, if not at ``asOf``.
    var renewed: Timestamp?
    /// More of what was signed, each with its own date.
    var statements: [Statement<Transaction>] = []
    var words: [Statement<RenewalInfo?>] = []

    var book: Book {
        let isSigned = coverage == .partial
        var book = Book(
            Listing(
                bundleId: bundleId,
                environment: environment,
                asOf: asOf,
                coverage: renewals == nil ? .withoutEntries : coverage,
                by: isSigned ? .signature : source
            )
        )
        if isSigned {
            book.add(
                transactions.map { Statement($0, asOf: signed ?? asOf ?? clock, by: .signature) } + statements,
                (renewals ?? []).map { Statement($0, asOf: renewed ?? asOf ?? clock, by: .signature) } + words
            )
        } else {
            book.add(rows: transactions, entries: renewals ?? [])
        }
        return book
    }
}

func history(
    _ renewals: [RenewalInfo]?,
    _ transactions: [Transaction] = [],
    of bundleId: String? = "com.example.reader",
    from environment: AppStoreEnvironment? = .production,
    asOf date: Timestamp? = clock,
    coverage: HistoryCoverage = .complete
) -> Shown {
    Shown(
        bundleId: bundleId,
        environment: environment,
        asOf: date,
        renewals: renewals,
        transactions: transactions,
        coverage: coverage
    )
}

/// What a signed transaction says, with its renewal info or alone.
func signed(_ transaction: Transaction, _ renewal: RenewalInfo? = nil, on date: Double) -> Shown {
    history(renewal.map { [$0] } ?? [], [transaction], asOf: day(date), coverage: .partial)
}

/// Evidence in flat lists, or a book.
protocol CustomerSaying {
    /// The book as a decision reads it.
    var customer: Book { get }
}

extension Shown: CustomerSaying {
    var customer: Book { book.joined(with: Book(), for: Account.none.view) }

    func joined(with held: Book, for view: AccountView) -> Book { book.joined(with: held, for: view) }
}

extension Book: CustomerSaying {
    var customer: Book { self }
}

extension Chapter {
    /// A transaction by its identifier.
    subscript(_ id: String) -> Transaction? { transactions.first { $0.content.transactionId == id }?.content }
}

/// The policy that decides about a customer at the clock of all tests.
func examplePolicy(
    _ said: (any CustomerSaying)?,
    for account: Account = .none,
    of app: App = exampleApp(),
    maximumAge: Int64 = 86_400,
    heldAge: HeldAge? = nil,
    at now: Timestamp = clock
) -> OfferPolicy {
    OfferPolicy(
        app: app,
        customer: Customer(account: account, book: said?.customer),
        now: now,
        maximumEvidenceAgeSeconds: maximumAge,
        heldAge: heldAge
    )
}

/// The decision about the introductory offer of a product, at the clock of all tests.
func introductory(
    _ said: (any CustomerSaying)?,
    for account: Account = .none,
    product: String = "pro.monthly",
    explaining: Bool = false
) -> IntroductoryDecision {
    var policy = IntroductoryPolicy(
        app: exampleApp(),
        customer: Customer(account: account, book: said?.customer),
        now: clock,
        maximumEvidenceAgeSeconds: 86_400
    )
    return policy.decide(product, explaining: explaining)
}

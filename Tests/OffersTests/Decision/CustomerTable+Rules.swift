import Offers

private func lapsed(_ days: Double, _ product: String = "pro.monthly") -> Shown {
    history([entry("1", product, ended: true)], [bought("1", product, on: -days - 30, until: -days)])
}

private let alice = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
private let bob = "0b5a2f6e-0000-4000-8000-000000000001"
private func token(_ text: String) -> Account { AppAccountToken(text).map(Account.appAccountToken) ?? .none }

private let millisecond = 1.0 / 86_400_000

// Rows read: who the customer is, what comes out, for which offer, when the evidence shows what.

func free(_ isFree: Bool?, _ transaction: Transaction = bought()) -> Transaction {
    var transaction = transaction
    transaction.isFree = isFree
    return transaction
}

func paidUpFront(_ transaction: Transaction) -> Transaction {
    var transaction = transaction
    transaction.isPaidUpFront = true
    return transaction
}

/// Rows that say nothing of the product: what took their place is not shown.
private let replaced = [
    bought("1", "pro.monthly", on: -20, until: 10, upgraded: true, called: "11"),
    bought("1", "pro.yearly", on: -40, until: 300, upgraded: true, called: "10"),
]

extension CustomerTable {
    /// `duringTrial`.
    static let trials: [Row] = [
        Row("a period that is paid for", .active, "paying").when([entry()], [free(false)]),
        Row("a free period", .inTrial, "paying").when([entry()], [free(true)]),
        Row("a free period, and nothing asked", .active).when([entry()], [free(true)]),
        Row("not said whether it is free", .noEvidence, "paying").when([entry()], [free(nil)]),
        Row("not said, and nothing asked", .active).when([entry()], [free(nil)]),
        Row("a free period that is over", .lapsed, "paying")
            .when([entry(ended: true)], [free(true, bought(until: -2))]),
        Row("free, then in retry", .billingRetry, "paying")
            .when([entry(retrying: true)], [free(true, bought(until: -2))]),
        Row("a free period, then one that is paid for", .active, "paying")
            .when([entry()], [free(true, bought(on: -40, until: -10)), free(false, bought(called: "2"))]),
        Row("a free period that runs without an entry", .inTrial, "paying")
            .when([entry("1", ended: true)], [bought("1", on: -90, until: -60), free(true, bought("2"))]),
        Row("a free period that is over since the evidence was made: none that follows is free", .active, "paying")
            .when([entry()], [free(true, bought(until: -0.2))], asOf: day(-0.5)),
        Row("two copies, one of them free", .inTrial, "paying").when([entry()], [free(true), free(false)]),
    ]

    /// `scope` and `fromProducts`.
    static let scopes: [Row] = [
        Row("group by default: a News reader is no Pro subscriber", .neverSubscribed).when(newsActive),
        Row("scope app: a News reader is a customer", .active, "whole-app").when(newsActive),
        Row("scope app: nobody who never subscribed", .neverSubscribed, "whole-app").when([], []),
        Row("scope app: coins are no subscription", .neverSubscribed, "whole-app").when([], [coins]),
        Row("scope app: a News purchase without an entry", .noPendingRenewalInfo, "whole-app").when([], [news]),
        Row("scope app: News active beats Pro lapsed", .active, "whole-app").when(newsActiveProLapsed),
        Row("scope app, for lapsed: News runs", .stateNotInAudience, "whole-app-lapsed").when(newsActiveProLapsed),
        Row("scope group, for lapsed: Pro has lapsed", .lapsed, "comeback").when(newsActiveProLapsed),
        Row("scope app: a product of no known group counts", .active, "whole-app").when([entry("9", "gone")], []),
        Row("scope group: a product of no known group does not", .groupUnknown).when([entry("9", "gone")], []),
        Row("scope app: redemptions count in the product's group", .active, "whole-app-once")
            .when([entry("2", "news.monthly")], [bought("2", "news.monthly", under: .promotional("whole-app-once"))]),
        Row("scope app: redeemed in the product's group, now in News", .redemptionLimit, "whole-app-once")
            .when(
                [entry("1", ended: true), entry("2", "news.monthly")],
                [bought("1", on: -60, until: -30, under: .promotional("whole-app-once")), bought("2", "news.monthly")]
            ),
        Row("scope app: refunded in News only", .refunded, "whole-app").when([newsEntry], [newsRefunded]),
        Row("scope app: evidence of another app", .bundleMismatch, "whole-app").when([newsEntry], [news], of: "x"),
        Row("scope app: the subscription's account, another's coins", .active, "whole-app", account: token(alice))
            .when([newsEntry], [bought("2", "news.monthly", by: alice), bought("9", "coins", until: nil, by: bob)]),
        Row("from the year, and on the year", .active, "from-year").when([entry("1", "pro.yearly")], [year]),
        Row("from the year, but on the month", .notFromProduct, "from-year").when([entry()], [bought()]),
        Row("from the year beside the month, and nobody says when the year ends", .noEvidence, "from-year")
            .when([entry(), entry("2", "pro.yearly")], [bought(), bought("2", "pro.yearly", until: nil)]),
        Row("from the year beside the month, and the year was to renew since", .evidenceStale, "from-year")
            .when(
                [entry(), entry("2", "pro.yearly")],
                [bought(), bought("2", "pro.yearly", on: -365, until: -0.1)],
                asOf: day(-0.5)
            ),
        Row("from the year beside the month, and of the year only a renewal ahead is known", .noEvidence, "from-year")
            .when(
                [entry(), entry("2", "pro.yearly")],
                [bought(until: 400), bought("2", "pro.yearly", on: 0.5, until: 366, because: .renewal)]
            ),
        Row("from the year beside the month", .active, "from-year")
            .when([entry(), entry("2", "pro.yearly")], [bought(), bought("2", "pro.yearly", on: -100, until: 10)]),
        Row("from the year, which lapsed", .lapsed, "from-year").when(lapsed(50, "pro.yearly")),
        Row("from the year, which lapsed; when the month did is not said", .noEvidence, "from-year")
            .when(
                [entry("1", "pro.yearly", ended: true), entry("2", "pro.monthly", ended: true)],
                [bought("1", "pro.yearly", on: -400, until: -35)]
            ),
        Row("from the year, of which it is not said when it lapsed, beside the month", .noEvidence, "from-year")
            .when(
                [entry("1", "pro.monthly", ended: true), entry("2", "pro.yearly", ended: true)],
                [bought("1", "pro.monthly", on: -65, until: -35)]
            ),
        Row("from the year or the month, and of neither is said when it lapsed", .noEvidence, "from-year")
            .when([entry("1", "pro.yearly", ended: true), entry("2", "pro.monthly", ended: true)], []),
        Row("from the year or the month, and of neither is said when it lapsed, by other ids", .noEvidence, "from-year")
            .when([entry("2", "pro.yearly", ended: true), entry("1", "pro.monthly", ended: true)], []),
        Row("from the year, the month lapsed", .notFromProduct, "from-year").when(lapsed(50)),
        Row("from the year, which an upgrade replaced", .notFromProduct, "from-year").when([entry("1", nil)], replaced),
        Row("from the year, which an upgrade replaced, in another order", .notFromProduct, "from-year")
            .when([entry("1", nil)], replaced.reversed()),
        Row("from the year, by the entry alone", .active, "from-year").when([entry("1", "pro.yearly")], []),
        Row("from the year, product unknown", .notFromProduct, "from-year").when([entry("1", nil, group: "pro")], []),
        Row("from the year, left for the month since", .notFromProduct, "from-year")
            .when([entry()], [bought("1", "pro.yearly", on: -400, until: -35), bought()]),
        Row("from the year: the transaction tells, not the entry's next product", .active, "from-year")
            .when([entry("1", "pro.monthly")], [year]),
        Row("from News, across the app", .active, "from-news").when(newsActive),
        Row("from News: two subscriptions run, the one of Pro for longer", .active, "from-news")
            .when([newsEntry, entry("1", "pro.yearly")], [news, year]),
        Row("from News: Pro last", .notFromProduct, "from-news")
            .when([newsEntry, entry()], [newsEnded, bought(until: -1)]),
        Row("from News: it ended last", .lapsed, "from-news")
            .when([newsEntry, entry()], [newsEnded, bought(until: -9)]),
    ]

    /// `minimumLapsedDays` and `maximumLapsedDays`, at Apple's clock.
    static let lapses: [Row] = [
        Row("after 30 days, gone for 29", .lapsedTooRecently, "after-30").when(lapsed(29)),
        Row("after 30 days, gone for 30 to the millisecond", .lapsed, "after-30").when(lapsed(30)),
        Row("after 30 days, a millisecond short", .lapsedTooRecently, "after-30").when(lapsed(30 - millisecond)),
        Row("after 30 days, gone for years", .lapsed, "after-30").when(lapsed(2000)),
        Row("within 60 days, gone for one", .lapsed, "within-60").when(lapsed(1)),
        Row("within 60 days, gone for 60 to the millisecond", .lapsed, "within-60").when(lapsed(60)),
        Row("within 60 days, a millisecond over", .lapsedTooLong, "within-60").when(lapsed(60 + millisecond)),
        Row("30 to 60, for lapsed, but active", .stateNotInAudience, "30-to-60").when([entry()], [bought()]),
        Row("after 30 days concerns no active subscriber", .active, "after-30").when([entry()], [bought()]),
        Row("within 60 days concerns nobody in retry", .billingRetry, "within-60")
            .when([entry(retrying: true)], [bought(on: -130, until: -100)]),
        Row("the end is unknown: it cannot be said", .noEvidence, "after-30").when([entry(ended: true)], []),
        Row("the grace period was access too: 40 days paid, 20 of grace", .lapsedTooRecently, "after-30")
            .when([entry(graceUntil: -20)], [bought(on: -70, until: -40)]),
        Row("grace over for 31 days", .lapsed, "after-30")
            .when([entry(graceUntil: -31)], [bought(on: -90, until: -40)]),
        Row("of two that lapsed the one with access last counts, in grace", .lapsedTooRecently, "after-30")
            .when(
                [entry("1", graceUntil: -5), entry("2", ended: true)],
                [bought("1", on: -80, until: -50), bought("2", on: -70, until: -40)]
            ),
        Row("days count at Apple's clock, half a day ago", .lapsedTooRecently, "after-30")
            .when([entry(ended: true)], [bought(on: -60, until: -30.25)], asOf: day(-0.5)),
    ]

    /// `afterRefund` and `familyShared`.
    static let treatments: [Row] = [
        Row("refunded, refused by default", .refunded).when([entry()], [bought(refunded: -2)]),
        Row("refunded, forgiven: counts as lapsed", .lapsed, "forgive").when([entry()], [bought(refunded: -2)]),
        Row("refunded two days ago, not yet 30", .lapsedTooRecently, "forgive-later")
            .when([entry()], [bought(refunded: -2)]),
        Row("refunded 31 days ago, though paid until the future", .lapsed, "forgive-later")
            .when([entry()], [bought("1", on: -60, until: 305, refunded: -31)]),
        Row("expired 40 days ago, refunded five days ago: away since it expired", .lapsed, "forgive-later")
            .when([entry()], [bought(on: -70, until: -40, refunded: -5)]),
        Row("of two refunds the last counts, not the one paid for longest", .lapsedTooRecently, "forgive-later")
            .when([entry("1"), entry("2")], [bought("1", refunded: -2), bought("2", until: 300, refunded: -40)]),
        Row("refunded, forgiven across two entries", .lapsed, "forgive").when(twoRefunds),
        Row("forgiven, but only shared", .familyShared, "forgive").when([entry()], [bought(shared: true)]),
        Row("shared, refused by default", .familyShared).when([entry()], [bought(shared: true)]),
        Row("shared and running, families welcome", .active, "families").when([entry()], [bought(shared: true)]),
        Row("ended, families welcome", .lapsed, "families")
            .when([entry(ended: true)], [bought(until: -1, shared: true)]),
        Row("running, families that lapsed", .stateNotInAudience, "families-lapsed")
            .when([entry()], [bought(shared: true)]),
        Row("own purchase lapsed, shared one running: the own one counts", .lapsed, "families")
            .when([entry()], [bought(on: -90, until: -60), bought(shared: true)]),
        Row("own subscription lapsed, another shared one running: the own one counts", .lapsed, "families")
            .when([entry("1", ended: true), entry("2")], [bought("1", until: -9), bought("2", shared: true)]),
        Row("two shared, one running, the other withdrawn though paid for longer", .active, "families")
            .when(
                [entry("1"), entry("2")],
                [bought("1", shared: true), bought("2", until: 300, refunded: -3, shared: true)]
            ),
        Row("sharing withdrawn, refused by default", .familyShared).when(sharingWithdrawn),
        Row("sharing withdrawn, families welcome, refunds not", .refunded, "families").when(sharingWithdrawn),
        Row("sharing withdrawn, families and refunds welcome", .lapsed, "families-forgive").when(sharingWithdrawn),
        Row("upgraded and refunded is no refund", .active).when([entry()], [bought(refunded: -1, upgraded: true)]),
    ]

    /// Where several rules refuse, the first in the order of the reasons.
    static let strict: [Row] = [
        Row("all is well", .lapsed, "strict").when(lapsed(45, "pro.yearly")),
        Row("another app before all else", .bundleMismatch, "strict").when([], [], of: "x", from: .sandbox),
        Row("never subscribed before the audience", .neverSubscribed, "strict").when([], []),
        Row("refunded before the audience", .refunded, "strict").when([entry()], [bought(refunded: -1)]),
        Row("shared before the audience", .familyShared, "strict").when([entry()], [bought(shared: true)]),
        Row("the audience before the product", .stateNotInAudience, "strict").when([entry()], [bought()]),
        Row("the product before the days", .notFromProduct, "strict").when(lapsed(10)),
        Row("the days before the redemptions", .lapsedTooRecently, "strict").when(redeemed(lapsedFor: 10)),
        Row("too long before the redemptions", .lapsedTooLong, "strict").when(redeemed(lapsedFor: 100)),
        Row("the redemptions last", .redemptionLimit, "strict").when(redeemed(lapsedFor: 45)),
        Row("signed transactions: the group that they show", .active).when([entry()], [bought()], coverage: .partial),
        Row("signed transactions: a group that they do not show", .noEvidence)
            .when([newsEntry], [news], coverage: .partial),
        Row("an iOS 6 style transaction receipt: a group that it does not show", .noEvidence)
            .when([newsEntry], [news], coverage: .oneSubscription),
        Row("all subscription statuses: a group that is not there was never subscribed to", .neverSubscribed)
            .when([newsEntry], [news], coverage: .newestTransactions),
    ]

    private static let coins = bought("9", "coins", until: nil)
    private static let year = bought("1", "pro.yearly", on: -60, until: 305)
    private static let news = bought("2", "news.monthly")
    private static let newsEnded = bought("2", "news.monthly", until: -5)
    private static let newsRefunded = bought("2", "news.monthly", refunded: -1)
    private static let newsEntry = entry("2", "news.monthly")
    private static let newsActive = history([newsEntry], [news])
    private static let newsActiveProLapsed = history(
        [newsEntry, entry("1", ended: true)],
        [news, bought("1", on: -90, until: -60)]
    )
    private static let twoRefunds = history(
        [entry("1"), entry("2")],
        [bought("1", refunded: -1), bought("2", refunded: -3)]
    )
    private static let sharingWithdrawn = history([entry()], [bought(refunded: -3, shared: true)])

    private static func redeemed(lapsedFor days: Double) -> Shown {
        history(
            [entry("1", "pro.yearly", ended: true)],
            [bought("1", "pro.yearly", on: -days - 365, until: -days, under: .promotional("strict"))]
        )
    }
}

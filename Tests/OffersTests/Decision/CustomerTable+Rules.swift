import Offers

private func lapsed(_ days: Double, _ product: String = "pro.monthly") -> Shown {
    history([entry("1", product, ended: true)], [bought("1", product, on: -days - 30, until: -days)])
}

private let alice = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
private let bob = "0b5a2f6e-0000-4000-8000-000000000001"
private func token(_ text: String) -> Account { AppAccountToken(text).map(Account.appAccountToken) ?? .none }

private let millisecond = 1.0 / 86_400_000

// Rows read: who the customer is, what the evidence shows, which offer, what comes out.

private func free(_ isFree: Bool?, _ transaction: Transaction = bought()) -> Transaction {
    var transaction = transaction
    transaction.isFree = isFree
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
        Row("a period that is paid for", [entry()], [free(false)], .active, "paying"),
        Row("a free period", [entry()], [free(true)], .inTrial, "paying"),
        Row("a free period, and nothing asked", [entry()], [free(true)], .active),
        Row("not said whether it is free", [entry()], [free(nil)], .noEvidence, "paying"),
        Row("not said, and nothing asked", [entry()], [free(nil)], .active),
        Row("a free period that is over", [entry(ended: true)], [free(true, bought(until: -2))], .lapsed, "paying"),
        Row("free, then in retry", [entry(retrying: true)], [free(true, bought(until: -2))], .billingRetry, "paying"),
        Row(
            "a free period, then one that is paid for",
            [entry()],
            [free(true, bought(on: -40, until: -10)), free(false, bought(called: "2"))],
            .active,
            "paying"
        ),
        Row(
            "a free period that runs without an entry",
            [entry("1", ended: true)],
            [bought("1", on: -90, until: -60), free(true, bought("2"))],
            .inTrial,
            "paying"
        ),
        Row(
            "a free period that is over since the evidence was made: none that follows is free",
            [entry()],
            [free(true, bought(until: -0.2))],
            asOf: day(-0.5),
            .active,
            "paying"
        ),
        Row("two copies, one of them free", [entry()], [free(true), free(false)], .inTrial, "paying"),
    ]

    /// `scope` and `fromProducts`.
    static let scopes: [Row] = [
        Row("group by default: a News reader is no Pro subscriber", history: newsActive, .neverSubscribed),
        Row("scope app: a News reader is a customer", history: newsActive, .active, "whole-app"),
        Row("scope app: nobody who never subscribed", [], [], .neverSubscribed, "whole-app"),
        Row("scope app: coins are no subscription", [], [coins], .neverSubscribed, "whole-app"),
        Row("scope app: a News purchase without an entry", [], [news], .noPendingRenewalInfo, "whole-app"),
        Row("scope app: News active beats Pro lapsed", history: newsActiveProLapsed, .active, "whole-app"),
        Row("scope app, for lapsed: News runs", history: newsActiveProLapsed, .stateNotInAudience, "whole-app-lapsed"),
        Row("scope group, for lapsed: Pro has lapsed", history: newsActiveProLapsed, .lapsed, "comeback"),
        Row("scope app: a product of no known group counts", [entry("9", "gone")], [], .active, "whole-app"),
        Row("scope group: a product of no known group does not", [entry("9", "gone")], [], .groupUnknown),
        Row(
            "scope app: redemptions count in the product's group",
            [entry("2", "news.monthly")],
            [bought("2", "news.monthly", under: .promotional("whole-app-once"))],
            .active,
            "whole-app-once"
        ),
        Row(
            "scope app: redeemed in the product's group, now in News",
            [entry("1", ended: true), entry("2", "news.monthly")],
            [bought("1", on: -60, until: -30, under: .promotional("whole-app-once")), bought("2", "news.monthly")],
            .redemptionLimit,
            "whole-app-once"
        ),
        Row("scope app: refunded in News only", [newsEntry], [newsRefunded], .refunded, "whole-app"),
        Row("scope app: evidence of another app", [newsEntry], [news], of: "x", .bundleMismatch, "whole-app"),
        Row(
            "scope app: the account of the subscription, beside coins of another",
            [newsEntry],
            [bought("2", "news.monthly", by: alice), bought("9", "coins", until: nil, by: bob)],
            .active,
            "whole-app",
            account: token(alice)
        ),
        Row("from the year, and on the year", [entry("1", "pro.yearly")], [year], .active, "from-year"),
        Row("from the year, but on the month", [entry()], [bought()], .notFromProduct, "from-year"),
        Row(
            "from the year beside the month, and nobody says when the year ends",
            [entry(), entry("2", "pro.yearly")],
            [bought(), bought("2", "pro.yearly", until: nil)],
            .noEvidence,
            "from-year"
        ),
        Row(
            "from the year beside the month, and the year was to renew since",
            [entry(), entry("2", "pro.yearly")],
            [bought(), bought("2", "pro.yearly", on: -365, until: -0.1)],
            asOf: day(-0.5),
            .evidenceStale,
            "from-year"
        ),
        Row(
            "from the year beside the month, and of the year only a renewal ahead is known",
            [entry(), entry("2", "pro.yearly")],
            [bought(until: 400), bought("2", "pro.yearly", on: 0.5, until: 366, because: .renewal)],
            .noEvidence,
            "from-year"
        ),
        Row(
            "from the year beside the month",
            [entry(), entry("2", "pro.yearly")],
            [bought(), bought("2", "pro.yearly", on: -100, until: 10)],
            .active,
            "from-year"
        ),
        Row("from the year, which lapsed", history: lapsed(50, "pro.yearly"), .lapsed, "from-year"),
        Row(
            "from the year, which lapsed, beside the month, and nobody says when that did",
            [entry("1", "pro.yearly", ended: true), entry("2", "pro.monthly", ended: true)],
            [bought("1", "pro.yearly", on: -400, until: -35)],
            .noEvidence,
            "from-year"
        ),
        Row(
            "from the year, of which nobody says when it lapsed, beside the month",
            [entry("1", "pro.monthly", ended: true), entry("2", "pro.yearly", ended: true)],
            [bought("1", "pro.monthly", on: -65, until: -35)],
            .noEvidence,
            "from-year"
        ),
        Row("from the year, the month lapsed", history: lapsed(50), .notFromProduct, "from-year"),
        Row("from the year, which an upgrade replaced", [entry("1", nil)], replaced, .notFromProduct, "from-year"),
        Row(
            "from the year, which an upgrade replaced, in another order",
            [entry("1", nil)],
            replaced.reversed(),
            .notFromProduct,
            "from-year"
        ),
        Row("from the year, by the entry alone", [entry("1", "pro.yearly")], [], .active, "from-year"),
        Row("from the year, product unknown", [entry("1", nil, group: "pro")], [], .notFromProduct, "from-year"),
        Row(
            "from the year, left for the month since",
            [entry()],
            [bought("1", "pro.yearly", on: -400, until: -35), bought()],
            .notFromProduct,
            "from-year"
        ),
        Row(
            "from the year: the transaction tells, not the entry's next product",
            [entry("1", "pro.monthly")],
            [year],
            .active,
            "from-year"
        ),
        Row("from News, across the app", history: newsActive, .active, "from-news"),
        Row(
            "from News: two subscriptions run, the one of Pro for longer",
            [newsEntry, entry("1", "pro.yearly")],
            [news, year],
            .active,
            "from-news"
        ),
        Row(
            "from News: Pro last",
            [newsEntry, entry()],
            [newsEnded, bought(until: -1)],
            .notFromProduct,
            "from-news"
        ),
        Row("from News: it ended last", [newsEntry, entry()], [newsEnded, bought(until: -9)], .lapsed, "from-news"),
    ]

    /// `minimumLapsedDays` and `maximumLapsedDays`, at Apple's clock.
    static let lapses: [Row] = [
        Row("after 30 days, gone for 29", history: lapsed(29), .lapsedTooRecently, "after-30"),
        Row("after 30 days, gone for 30 to the millisecond", history: lapsed(30), .lapsed, "after-30"),
        Row("after 30 days, a millisecond short", history: lapsed(30 - millisecond), .lapsedTooRecently, "after-30"),
        Row("after 30 days, gone for years", history: lapsed(2000), .lapsed, "after-30"),
        Row("within 60 days, gone for one", history: lapsed(1), .lapsed, "within-60"),
        Row("within 60 days, gone for 60 to the millisecond", history: lapsed(60), .lapsed, "within-60"),
        Row("within 60 days, a millisecond over", history: lapsed(60 + millisecond), .lapsedTooLong, "within-60"),
        Row("30 to 60, for lapsed, but active", [entry()], [bought()], .stateNotInAudience, "30-to-60"),
        Row("after 30 days concerns no active subscriber", [entry()], [bought()], .active, "after-30"),
        Row(
            "within 60 days concerns nobody in retry",
            [entry(retrying: true)],
            [bought(on: -130, until: -100)],
            .billingRetry,
            "within-60"
        ),
        Row("the end is unknown: it cannot be said", [entry(ended: true)], [], .noEvidence, "after-30"),
        Row(
            "the grace period was access too: 40 days paid, 20 of grace",
            [entry(graceUntil: -20)],
            [bought(on: -70, until: -40)],
            .lapsedTooRecently,
            "after-30"
        ),
        Row("grace over for 31 days", [entry(graceUntil: -31)], [bought(on: -90, until: -40)], .lapsed, "after-30"),
        Row(
            "of two that lapsed the one counts by which there was access last, in grace",
            [entry("1", graceUntil: -5), entry("2", ended: true)],
            [bought("1", on: -80, until: -50), bought("2", on: -70, until: -40)],
            .lapsedTooRecently,
            "after-30"
        ),
        Row(
            "days count at Apple's clock, half a day ago",
            [entry(ended: true)],
            [bought(on: -60, until: -30.25)],
            asOf: day(-0.5),
            .lapsedTooRecently,
            "after-30"
        ),
    ]

    /// `afterRefund` and `familyShared`.
    static let treatments: [Row] = [
        Row("refunded, refused by default", [entry()], [bought(refunded: -2)], .refunded),
        Row("refunded, forgiven: counts as lapsed", [entry()], [bought(refunded: -2)], .lapsed, "forgive"),
        Row(
            "refunded two days ago, not yet 30",
            [entry()],
            [bought(refunded: -2)],
            .lapsedTooRecently,
            "forgive-later"
        ),
        Row(
            "refunded 31 days ago, though paid until the future",
            [entry()],
            [bought("1", on: -60, until: 305, refunded: -31)],
            .lapsed,
            "forgive-later"
        ),
        Row(
            "expired 40 days ago, refunded five days ago: away since it expired",
            [entry()],
            [bought(on: -70, until: -40, refunded: -5)],
            .lapsed,
            "forgive-later"
        ),
        Row(
            "of two refunds the last counts, not the one that was paid for longest",
            [entry("1"), entry("2")],
            [bought("1", refunded: -2), bought("2", until: 300, refunded: -40)],
            .lapsedTooRecently,
            "forgive-later"
        ),
        Row("refunded, forgiven across two entries", history: twoRefunds, .lapsed, "forgive"),
        Row("forgiven, but only shared", [entry()], [bought(shared: true)], .familyShared, "forgive"),
        Row("shared, refused by default", [entry()], [bought(shared: true)], .familyShared),
        Row("shared and running, families welcome", [entry()], [bought(shared: true)], .active, "families"),
        Row("ended, families welcome", [entry(ended: true)], [bought(until: -1, shared: true)], .lapsed, "families"),
        Row("running, families that lapsed", [entry()], [bought(shared: true)], .stateNotInAudience, "families-lapsed"),
        Row(
            "own purchase lapsed, shared one running: the own one counts",
            [entry()],
            [bought(on: -90, until: -60), bought(shared: true)],
            .lapsed,
            "families"
        ),
        Row(
            "own subscription lapsed, another shared one running: the own one counts",
            [entry("1", ended: true), entry("2")],
            [bought("1", until: -9), bought("2", shared: true)],
            .lapsed,
            "families"
        ),
        Row(
            "two shared, one running, the other withdrawn though paid for longer",
            [entry("1"), entry("2")],
            [bought("1", shared: true), bought("2", until: 300, refunded: -3, shared: true)],
            .active,
            "families"
        ),
        Row("sharing withdrawn, refused by default", history: sharingWithdrawn, .familyShared),
        Row("sharing withdrawn, families welcome, refunds not", history: sharingWithdrawn, .refunded, "families"),
        Row("sharing withdrawn, families and refunds welcome", history: sharingWithdrawn, .lapsed, "families-forgive"),
        Row("upgraded and refunded is no refund", [entry()], [bought(refunded: -1, upgraded: true)], .active),
    ]

    /// Where several rules refuse, the first in the order of the reasons.
    static let strict: [Row] = [
        Row("all is well", history: lapsed(45, "pro.yearly"), .lapsed, "strict"),
        Row("another app before all else", [], [], of: "x", from: .sandbox, .bundleMismatch, "strict"),
        Row("never subscribed before the audience", [], [], .neverSubscribed, "strict"),
        Row("refunded before the audience", [entry()], [bought(refunded: -1)], .refunded, "strict"),
        Row("shared before the audience", [entry()], [bought(shared: true)], .familyShared, "strict"),
        Row("the audience before the product", [entry()], [bought()], .stateNotInAudience, "strict"),
        Row("the product before the days", history: lapsed(10), .notFromProduct, "strict"),
        Row("the days before the redemptions", history: redeemed(lapsedFor: 10), .lapsedTooRecently, "strict"),
        Row("too long before the redemptions", history: redeemed(lapsedFor: 100), .lapsedTooLong, "strict"),
        Row("the redemptions last", history: redeemed(lapsedFor: 45), .redemptionLimit, "strict"),
        Row("signed transactions: the group that they show", [entry()], [bought()], coverage: .partial, .active),
        Row("signed transactions: a group that they do not show", [newsEntry], [news], coverage: .partial, .noEvidence),
        Row(
            "an iOS 6 style transaction receipt: a group that it does not show",
            [newsEntry],
            [news],
            coverage: .oneSubscription,
            .noEvidence
        ),
        Row(
            "all subscription statuses: a group that is not there was never subscribed to",
            [newsEntry],
            [news],
            coverage: .newestTransactions,
            .neverSubscribed
        ),
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

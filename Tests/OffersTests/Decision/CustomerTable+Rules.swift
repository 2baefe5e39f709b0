import Offers

private func lapsed(_ days: Double, _ product: String = "pro.monthly") -> SubscriptionHistory {
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

extension CustomerTable {
    /// `duringTrial`.
    static let trials: [Row] = [
        Row("a period that is paid for", history([entry()], [free(false)]), "paying", .active),
        Row("a free period", history([entry()], [free(true)]), "paying", .inTrial),
        Row("a free period, and nothing asked", history([entry()], [free(true)]), "anyone", .active),
        Row("a free period that does not renew", history([entry(renews: false)], [free(true)]), "paying", .inTrial),
        Row("not said whether it is free", history([entry()], [free(nil)]), "paying", .noEvidence),
        Row("not said, and nothing asked", history([entry()], [free(nil)]), "anyone", .active),
        Row(
            "a free period that is over",
            history([entry(ended: true)], [free(true, bought(until: -2))]),
            "paying",
            .lapsed
        ),
        Row(
            "a free period whose renewal failed",
            history([entry(retrying: true)], [free(true, bought(until: -2))]),
            "paying",
            .billingRetry
        ),
        Row(
            "a free period, then one that is paid for",
            history([entry()], [free(true, bought(on: -40, until: -10)), free(false, bought(called: "2"))]),
            "paying",
            .active
        ),
        Row(
            "a free period that runs without an entry",
            history([entry("1", ended: true)], [bought("1", on: -90, until: -60), free(true, bought("2"))]),
            "paying",
            .inTrial
        ),
        Row("two copies, one of them free", history([entry()], [free(true), free(false)]), "paying", .inTrial),
    ]

    /// `scope` and `fromProducts`.
    static let scopes: [Row] = [
        Row("group by default: a News reader is no Pro subscriber", newsActive, "anyone", .neverSubscribed),
        Row("scope app: a News reader is a customer", newsActive, "whole-app", .active),
        Row("scope app: a Pro subscriber is one too", history([entry()], [bought()]), "whole-app", .active),
        Row("scope app: nobody who never subscribed", history([]), "whole-app", .neverSubscribed),
        Row("scope app: coins are no subscription", history([], [coins]), "whole-app", .neverSubscribed),
        Row("scope app: a News purchase without an entry", history([], [news]), "whole-app", .noPendingRenewalInfo),
        Row("scope app: News active beats Pro lapsed", newsActiveProLapsed, "whole-app", .active),
        Row("scope app, for lapsed: News is active", newsActiveProLapsed, "whole-app-lapsed", .stateNotInAudience),
        Row("scope group, for lapsed: Pro has lapsed", newsActiveProLapsed, "comeback", .lapsed),
        Row("scope app: a product of no known group counts", history([entry("9", "gone")]), "whole-app", .active),
        Row(
            "scope group: a product of no known group does not",
            history([entry("9", "gone")]),
            "anyone",
            .groupUnknown
        ),
        Row(
            "scope app: redemptions count in the product's group",
            history([entry("2", "news.monthly")], [bought("2", "news.monthly", under: .promotional("whole-app-once"))]),
            "whole-app-once",
            .active
        ),
        Row(
            "scope app: redeemed in the product's group, now in News",
            history(
                [entry("1", ended: true), entry("2", "news.monthly")],
                [bought("1", on: -60, until: -30, under: .promotional("whole-app-once")), bought("2", "news.monthly")]
            ),
            "whole-app-once",
            .redemptionLimit
        ),
        Row("scope app: refunded in News only", history([newsEntry], [newsRefunded]), "whole-app", .refunded),
        Row("scope app: evidence of another app", history([newsEntry], [news], of: "x"), "whole-app", .bundleMismatch),
        Row(
            "scope app: the account of the subscription, beside coins of another",
            history([newsEntry], [bought("2", "news.monthly", by: alice), bought("9", "coins", until: nil, by: bob)]),
            "whole-app",
            .active,
            account: token(alice)
        ),
        Row(
            "scope app: an account that no purchase names",
            history([newsEntry], [bought("2", "news.monthly", by: alice)]),
            "whole-app",
            .accountMismatch,
            account: token(bob)
        ),
        Row("from the year, and on the year", history([entry("1", "pro.yearly")], [year]), "from-year", .active),
        Row("from the year, but on the month", history([entry()], [bought()]), "from-year", .notFromProduct),
        Row("from the year, which lapsed", lapsed(50, "pro.yearly"), "from-year", .lapsed),
        Row("from the year, the month lapsed", lapsed(50), "from-year", .notFromProduct),
        Row("from the year, by the entry alone", history([entry("1", "pro.yearly")]), "from-year", .active),
        Row("from the year, product unknown", history([entry("1", nil, group: "pro")]), "from-year", .notFromProduct),
        Row(
            "from the year, left for the month since",
            history([entry()], [bought("1", "pro.yearly", on: -400, until: -35), bought()]),
            "from-year",
            .notFromProduct
        ),
        Row(
            "from the year: the transaction tells, not the entry's next product",
            history([entry("1", "pro.monthly")], [year]),
            "from-year",
            .active
        ),
        Row(
            "from the year: two subscriptions, the active one counts",
            history(
                [entry("1", "pro.yearly", ended: true), entry("2")],
                [bought("1", "pro.yearly", on: -400, until: -35), bought("2")]
            ),
            "from-year",
            .notFromProduct
        ),
        Row("from News, across the app", newsActive, "from-news", .active),
        Row(
            "from News: two subscriptions run, the one of Pro for longer",
            history([newsEntry, entry("1", "pro.yearly")], [news, year]),
            "from-news",
            .active
        ),
        Row(
            "from News: it runs without auto-renew, and one of Pro with it",
            history([entry("2", "news.monthly", renews: false), entry("1", "pro.yearly")], [news, year]),
            "from-news",
            .active
        ),
        Row(
            "from News: it ended, and Pro runs",
            history([newsEntry, entry()], [newsEnded, bought()]),
            "from-news",
            .notFromProduct
        ),
        Row(
            "from News: Pro ended last",
            history([newsEntry, entry()], [newsEnded, bought(until: -1)]),
            "from-news",
            .notFromProduct
        ),
        Row(
            "from News: it ended last",
            history([newsEntry, entry()], [newsEnded, bought(until: -9)]),
            "from-news",
            .lapsed
        ),
        Row("from News, but on Pro", history([entry()], [bought()]), "from-news", .notFromProduct),
    ]

    /// `minimumLapsedDays` and `maximumLapsedDays`, at Apple's clock.
    static let lapses: [Row] = [
        Row("after 30 days, gone for 29", lapsed(29), "after-30", .lapsedTooRecently),
        Row("after 30 days, gone for 30 to the millisecond", lapsed(30), "after-30", .lapsed),
        Row("after 30 days, a millisecond short", lapsed(30 - millisecond), "after-30", .lapsedTooRecently),
        Row("after 30 days, gone for years", lapsed(2000), "after-30", .lapsed),
        Row("within 60 days, gone for one", lapsed(1), "within-60", .lapsed),
        Row("within 60 days, gone for 60 to the millisecond", lapsed(60), "within-60", .lapsed),
        Row("within 60 days, a millisecond over", lapsed(60 + millisecond), "within-60", .lapsedTooLong),
        Row("30 to 60, gone for 45", lapsed(45), "30-to-60", .lapsed),
        Row("30 to 60, gone for 10", lapsed(10), "30-to-60", .lapsedTooRecently),
        Row("30 to 60, gone for 100", lapsed(100), "30-to-60", .lapsedTooLong),
        Row("30 to 60, for lapsed, but active", history([entry()], [bought()]), "30-to-60", .stateNotInAudience),
        Row("after 30 days concerns no active subscriber", history([entry()], [bought()]), "after-30", .active),
        Row(
            "within 60 days concerns nobody in retry",
            history([entry(retrying: true)], [bought(on: -130, until: -100)]),
            "within-60",
            .billingRetry
        ),
        Row(
            "after 30 days concerns nobody in grace",
            history([entry(graceUntil: 3)], [bought(until: -1)]),
            "after-30",
            .gracePeriod
        ),
        Row("the end is unknown: it cannot be said", history([entry(ended: true)]), "after-30", .noEvidence),
        Row("the end is unknown, nor for a maximum", history([entry(ended: true)]), "within-60", .noEvidence),
        Row(
            "the grace period was access too: 40 days paid, 20 of grace",
            history([entry(graceUntil: -20)], [bought(on: -70, until: -40)]),
            "after-30",
            .lapsedTooRecently
        ),
        Row(
            "grace over for 31 days",
            history([entry(graceUntil: -31)], [bought(on: -90, until: -40)]),
            "after-30",
            .lapsed
        ),
        Row(
            "of two that lapsed the one counts by which there was access last, in grace",
            history(
                [entry("1", graceUntil: -5), entry("2", ended: true)],
                [bought("1", on: -80, until: -50), bought("2", on: -70, until: -40)]
            ),
            "after-30",
            .lapsedTooRecently
        ),
        Row(
            "days count at Apple's clock, half a day ago",
            history([entry(ended: true)], [bought(on: -60, until: -30.25)], asOf: day(-0.5)),
            "after-30",
            .lapsedTooRecently
        ),
        Row(
            "the newest purchase counts, not an older one",
            history([entry(ended: true)], [bought(on: -130, until: -100), bought(on: -40, until: -10)]),
            "after-30",
            .lapsedTooRecently
        ),
    ]

    /// `afterRefund` and `familyShared`.
    static let treatments: [Row] = [
        Row("refunded, refused by default", history([entry()], [bought(refunded: -2)]), "anyone", .refunded),
        Row("refunded, forgiven: counts as lapsed", history([entry()], [bought(refunded: -2)]), "forgive", .lapsed),
        Row("not refunded, forgiveness changes nothing", history([entry()], [bought()]), "forgive", .active),
        Row(
            "refunded two days ago, forgiven after 30",
            history([entry()], [bought(refunded: -2)]),
            "forgive-later",
            .lapsedTooRecently
        ),
        Row(
            "refunded 31 days ago, though paid until the future",
            history([entry()], [bought("1", on: -60, until: 305, refunded: -31)]),
            "forgive-later",
            .lapsed
        ),
        Row(
            "expired 40 days ago, refunded five days ago: away since it expired",
            history([entry()], [bought(on: -70, until: -40, refunded: -5)]),
            "forgive-later",
            .lapsed
        ),
        Row(
            "of two refunds the last counts, not the one that was paid for longest",
            history([entry("1"), entry("2")], [bought("1", refunded: -2), bought("2", until: 300, refunded: -40)]),
            "forgive-later",
            .lapsedTooRecently
        ),
        Row("refunded, forgiven across two entries", twoRefunds, "forgive", .lapsed),
        Row(
            "refunded once, active once: forgiveness is not needed",
            history([entry("1"), entry("2")], [bought("1", refunded: -1), bought("2")]),
            "forgive",
            .active
        ),
        Row("forgiven, but only shared", history([entry()], [bought(shared: true)]), "forgive", .familyShared),
        Row("shared, refused by default", history([entry()], [bought(shared: true)]), "anyone", .familyShared),
        Row("shared and running, families welcome", history([entry()], [bought(shared: true)]), "families", .active),
        Row(
            "shared and ended, families welcome",
            history([entry(ended: true)], [bought(until: -1, shared: true)]),
            "families",
            .lapsed
        ),
        Row(
            "shared, auto-renew off, families welcome",
            history([entry(renews: false)], [bought(shared: true)]),
            "families",
            .activeAutoRenewOff
        ),
        Row(
            "shared and running, families that lapsed",
            history([entry()], [bought(shared: true)]),
            "families-lapsed",
            .stateNotInAudience
        ),
        Row(
            "own purchase lapsed, shared one running: the own one counts",
            history([entry()], [bought(on: -90, until: -60), bought(shared: true)]),
            "families",
            .lapsed
        ),
        Row(
            "own subscription lapsed, another shared one running: the own one counts",
            history([entry("1", ended: true), entry("2")], [bought("1", until: -9), bought("2", shared: true)]),
            "families",
            .lapsed
        ),
        Row(
            "two shared, one running, the other withdrawn though paid for longer",
            history(
                [entry("1"), entry("2")],
                [bought("1", shared: true), bought("2", until: 300, refunded: -3, shared: true)]
            ),
            "families",
            .active
        ),
        Row("sharing withdrawn, refused by default", sharingWithdrawn, "anyone", .familyShared),
        Row("sharing withdrawn, families welcome, refunds not", sharingWithdrawn, "families", .refunded),
        Row("sharing withdrawn, families and refunds welcome", sharingWithdrawn, "families-forgive", .lapsed),
        Row(
            "upgraded and refunded is no refund",
            history([entry()], [bought(refunded: -1, upgraded: true)]),
            "anyone",
            .active
        ),
    ]

    /// Where several rules refuse, the first in the order of the reasons.
    static let strict: [Row] = [
        Row("all is well", lapsed(45, "pro.yearly"), "strict", .lapsed),
        Row("another app before all else", history([], of: "x", from: .sandbox), "strict", .bundleMismatch),
        Row("never subscribed before the audience", history([]), "strict", .neverSubscribed),
        Row("refunded before the audience", history([entry()], [bought(refunded: -1)]), "strict", .refunded),
        Row("shared before the audience", history([entry()], [bought(shared: true)]), "strict", .familyShared),
        Row("the audience before the product", history([entry()], [bought()]), "strict", .stateNotInAudience),
        Row("the product before the days", lapsed(10), "strict", .notFromProduct),
        Row("the days before the redemptions", redeemed(lapsedFor: 10), "strict", .lapsedTooRecently),
        Row("too long before the redemptions", redeemed(lapsedFor: 100), "strict", .lapsedTooLong),
        Row("the redemptions last", redeemed(lapsedFor: 45), "strict", .redemptionLimit),
        Row(
            "signed transactions: the group that they show",
            history([entry()], [bought()], coverage: .partial),
            "anyone",
            .active
        ),
        Row(
            "signed transactions: a group that they do not show",
            history([newsEntry], [news], coverage: .partial),
            "anyone",
            .noEvidence
        ),
        Row(
            "an iOS 6 style transaction receipt: a group that it does not show",
            history([newsEntry], [news], coverage: .oneSubscription),
            "anyone",
            .noEvidence
        ),
        Row(
            "all subscription statuses: a group that is not there was never subscribed to",
            history([newsEntry], [news], coverage: .newestTransactions),
            "anyone",
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

    private static func redeemed(lapsedFor days: Double) -> SubscriptionHistory {
        history(
            [entry("1", "pro.yearly", ended: true)],
            [bought("1", "pro.yearly", on: -days - 365, until: -days, under: .promotional("strict"))]
        )
    }
}

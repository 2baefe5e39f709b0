import Offers

private let yearRefundedMonthBought = history(
    [entry("1", "pro.monthly")],
    [
        bought("1", "pro.yearly", on: -60, until: 305, refunded: -50),
        bought("1", "pro.monthly", on: -5, until: 25),
    ]
)

/// The customers, offers and verdicts that the policy is held to, one line each.
enum CustomerTable {
    static let states: [Row] = [
        Row("paid time left, renewing", history([entry()], [bought()]), "anyone", .active),
        Row(
            "paid time left, auto-renew off",
            history([entry(renews: false)], [bought()]),
            "anyone",
            .activeAutoRenewOff
        ),
        Row("paid time left, auto-renew unknown", history([entry(renews: nil)], [bought()]), "anyone", .active),
        Row("expired yesterday", history([entry(ended: true)], [bought(on: -31, until: -1)]), "anyone", .lapsed),
        Row("expired at this very moment", history([entry()], [bought(on: -30, until: 0)]), "anyone", .lapsed),
        Row("grace left", history([entry(retrying: true, graceUntil: 3)], [bought(until: -1)]), "anyone", .gracePeriod),
        Row(
            "grace is over",
            history([entry(retrying: true, graceUntil: -1)], [bought(until: -9)]),
            "anyone",
            .billingRetry
        ),
        Row(
            "grace ends at this very moment",
            history([entry(retrying: true, graceUntil: 0)], [bought(until: -9)]),
            "anyone",
            .billingRetry
        ),
        Row("grace over, no retry", history([entry(graceUntil: -1)], [bought(until: -9)]), "anyone", .lapsed),
        Row("retry without grace", history([entry(retrying: true)], [bought(until: -2)]), "anyone", .billingRetry),
        Row("retry noted, but paid time left", history([entry(retrying: true)], [bought()]), "anyone", .active),
        Row("grace noted, but paid time left", history([entry(graceUntil: 9)], [bought()]), "anyone", .active),
        Row("entry alone, renewing", history([entry()]), "anyone", .active),
        Row("entry alone, auto-renew off", history([entry(renews: false)]), "anyone", .activeAutoRenewOff),
        Row("entry alone, ended", history([entry(renews: false, ended: true)]), "anyone", .lapsed),
        Row("entry alone, in grace", history([entry(ended: true, graceUntil: 2)]), "anyone", .gracePeriod),
        Row("entry alone, in retry", history([entry(ended: true, retrying: true)]), "anyone", .billingRetry),
        Row("refunded", history([entry()], [bought(refunded: -2)]), "anyone", .refunded),
        Row(
            "refunded after it expired",
            history([entry()], [bought(on: -60, until: -30, refunded: -20)]),
            "anyone",
            .refunded
        ),
        Row(
            "an older month refunded",
            history([entry()], [bought(on: -40, until: -10, refunded: -30), bought()]),
            "anyone",
            .active
        ),
        Row("a year refunded, then a month bought", yearRefundedMonthBought, "anyone", .active),
        Row(
            "upgraded, and the upgrade counts",
            history(
                [entry("1", "pro.yearly")],
                [
                    bought("1", "pro.monthly", refunded: -1, upgraded: true),
                    bought("1", "pro.yearly", on: -1, until: 364),
                ]
            ),
            "anyone",
            .active
        ),
        Row("only upgraded rows: the entry tells", history([entry()], [bought(upgraded: true)]), "anyone", .active),
        Row("shared by the family", history([entry()], [bought(shared: true)]), "anyone", .familyShared),
        Row(
            "shared now, bought before",
            history([entry()], [bought(on: -90, until: -60), bought(shared: true)]),
            "anyone",
            .lapsed
        ),
        Row(
            "upgraded bought, shared left",
            history([entry()], [bought(upgraded: true), bought(shared: true)]),
            "anyone",
            .familyShared
        ),
        Row(
            "same purchase date: the later expiry",
            history([entry()], [bought(until: 20), bought(until: -5)]),
            "anyone",
            .active
        ),
        Row(
            "no purchase dates: expiry stands in",
            history([entry()], [bought(on: nil, until: 20), bought(on: nil, until: -5)]),
            "anyone",
            .active
        ),
        Row(
            "newest first in the list",
            history([entry()], [bought(), bought(on: -40, until: -10)]),
            "anyone",
            .active
        ),
        Row("newest last in the list", history([entry()], [bought(on: -40, until: -10), bought()]), "anyone", .active),
    ]

    static let groups: [Row] = [
        Row("never bought anything", history([]), "anyone", .neverSubscribed),
        Row("a consumable only", history([], [bought("9", "coins", until: nil)]), "anyone", .neverSubscribed),
        Row("bought, entry gone", history([], [bought(until: -200)]), "anyone", .noPendingRenewalInfo),
        Row(
            "another group only",
            history([entry("1", "news.monthly")], [bought("1", "news.monthly")]),
            "anyone",
            .neverSubscribed
        ),
        Row(
            "each group by its own: news lapsed",
            history(
                [entry("1"), entry("2", "news.monthly")],
                [bought("1"), bought("2", "news.monthly", on: -60, until: -30)]
            ),
            "extra",
            .lapsed,
            product: "news.monthly"
        ),
        Row(
            "each group by its own: pro active",
            history(
                [entry("2", "news.monthly"), entry("1")],
                [bought("2", "news.monthly", on: -60, until: -30), bought("1")]
            ),
            "anyone",
            .active
        ),
        Row(
            "two entries of the group: the active one counts",
            history(
                [entry("1", ended: true), entry("2", "pro.yearly")],
                [bought("1", on: -90, until: -60), bought("2", "pro.yearly", on: -5, until: 360)]
            ),
            "anyone",
            .active
        ),
        Row(
            "two entries for one product: never the first",
            history([entry("1", ended: true), entry("2")], [bought("1", on: -90, until: -60), bought("2")]),
            "anyone",
            .active
        ),
        Row(
            "refunded once, lapsed once",
            history([entry("1"), entry("2")], [bought("1", refunded: -1), bought("2", on: -90, until: -60)]),
            "anyone",
            .lapsed
        ),
        Row(
            "shared and refunded",
            history([entry("1"), entry("2")], [bought("1", shared: true), bought("2", refunded: -3)]),
            "anyone",
            .refunded
        ),
        Row(
            "product gone from the catalog: the transaction names the group",
            history([entry("1", "pro.old")], [bought("1", "pro.old", group: "pro")]),
            "anyone",
            .active
        ),
        Row(
            "product gone from the catalog: another transaction of the subscription is known",
            history(
                [entry("1", "pro.old")],
                [bought("1", "pro.old"), bought("1", "pro.yearly", on: -400, until: -35)]
            ),
            "anyone",
            .active
        ),
        Row(
            "no id in common: the product names the group",
            history([entry("1", "pro.old")], [bought("7", "pro.old", group: "pro")]),
            "anyone",
            .active
        ),
        Row("the entry names its group itself", history([entry("1", "pro.old", group: "pro")]), "anyone", .active),
        Row(
            "group of the entry unknown",
            history([entry("1", "pro.old")], [bought("1", "pro.old")]),
            "anyone",
            .groupUnknown
        ),
        Row("entry without product or id", history([entry(nil, nil)]), "anyone", .groupUnknown),
        Row(
            "one entry unknown, one known",
            history([entry("8", "other"), entry("1")], [bought("1")]),
            "anyone",
            .active
        ),
        Row(
            "the catalog's group wins over the evidence's",
            history([entry("1")], [bought("1", group: "news")]),
            "anyone",
            .active
        ),
        Row("entry without id: by product", history([entry(nil)], [bought("5", refunded: -1)]), "anyone", .refunded),
    ]

    static let all =
        states + certainty + groups + unknownGroups + rowsWithoutEntry + owners + contradictions + offers + evidence
        + scopes + trials + lapses + ends + treatments + strict
}

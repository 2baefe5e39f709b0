import Offers

private let yearRefundedMonthBought = history(
    [entry("1", "pro.monthly")],
    [bought("1", "pro.yearly", on: -60, until: 305, refunded: -50), bought("1", "pro.monthly", on: -5, until: 25)]
)

/// The customers, offers and verdicts that the policy is held to, one line each.
enum CustomerTable {
    static let states: [Row] = [
        Row("paid time left, renewing", .active).when([entry()], [bought()]),
        Row("paid time left, auto-renew off", .activeAutoRenewOff).when([entry(renews: false)], [bought()]),
        Row("paid time left, auto-renew unknown", .active).when([entry(renews: nil)], [bought()]),
        Row("expired yesterday", .lapsed).when([entry(ended: true)], [bought(on: -31, until: -1)]),
        Row("expired at this very moment", .lapsed).when([entry()], [bought(on: -30, until: 0)]),
        Row("grace left", .gracePeriod).when([entry(retrying: true, graceUntil: 3)], [bought(until: -1)]),
        Row("grace is over", .billingRetry).when([entry(retrying: true, graceUntil: -1)], [bought(until: -9)]),
        Row("grace ends this very moment", .billingRetry)
            .when([entry(retrying: true, graceUntil: 0)], [bought(until: -9)]),
        Row("grace over, no retry", .lapsed).when([entry(graceUntil: -1)], [bought(until: -9)]),
        Row("retry without grace", .billingRetry).when([entry(retrying: true)], [bought(until: -2)]),
        Row("retry noted, but paid time left", .active).when([entry(retrying: true)], [bought()]),
        Row("grace noted, but paid time left", .active).when([entry(graceUntil: 9)], [bought()]),
        Row("entry alone, renewing", .active).when([entry()], []),
        Row("entry alone, auto-renew off", .activeAutoRenewOff).when([entry(renews: false)], []),
        Row("entry alone, ended", .lapsed).when([entry(renews: false, ended: true)], []),
        Row("entry alone, in grace", .gracePeriod).when([entry(ended: true, graceUntil: 2)], []),
        Row("entry alone, in retry", .billingRetry).when([entry(ended: true, retrying: true)], []),
        Row("refunded", .refunded).when([entry()], [bought(refunded: -2)]),
        Row("refunded after it expired", .refunded).when([entry()], [bought(on: -60, until: -30, refunded: -20)]),
        Row("an older month refunded", .active).when(
            [entry()],
            [bought(on: -40, until: -10, refunded: -30), bought()]
        ),
        Row("a year refunded, then a month bought", .active).when(yearRefundedMonthBought),
        Row("upgraded, and the upgrade counts", .active)
            .when(
                [entry("1", "pro.yearly")],
                [
                    bought("1", "pro.monthly", refunded: -1, upgraded: true),
                    bought("1", "pro.yearly", on: -1, until: 364),
                ]
            ),
        Row("only upgraded rows: the entry tells", .active).when([entry()], [bought(upgraded: true)]),
        Row("shared by the family", .familyShared).when([entry()], [bought(shared: true)]),
        Row("shared now, bought before", .lapsed).when([entry()], [bought(on: -90, until: -60), bought(shared: true)]),
        Row("upgraded bought, shared left", .familyShared)
            .when([entry()], [bought(upgraded: true), bought(shared: true)]),
        Row("same purchase date: the later expiry", .active).when([entry()], [bought(until: 20), bought(until: -5)]),
        Row("no purchase date: expiry", .active)
            .when([entry()], [bought(on: nil, until: 20), bought(on: nil, until: -5)]),
    ]

    static let groups: [Row] = [
        Row("never bought anything", .neverSubscribed).when([], []),
        Row("a consumable only", .neverSubscribed).when([], [bought("9", "coins", until: nil)]),
        Row("bought, entry gone", .noPendingRenewalInfo).when([], [bought(until: -200)]),
        Row("another group only", .neverSubscribed).when([entry("1", "news.monthly")], [bought("1", "news.monthly")]),
        Row("each group by its own: news lapsed", .lapsed, "extra", product: "news.monthly")
            .when(
                [entry("1"), entry("2", "news.monthly")],
                [bought("1"), bought("2", "news.monthly", on: -60, until: -30)]
            ),
        Row("two entries of the group: the active one counts", .active)
            .when(
                [entry("1", ended: true), entry("2", "pro.yearly")],
                [bought("1", on: -90, until: -60), bought("2", "pro.yearly", on: -5, until: 360)]
            ),
        Row("refunded once, lapsed once", .lapsed)
            .when([entry("1"), entry("2")], [bought("1", refunded: -1), bought("2", on: -90, until: -60)]),
        Row("shared and refunded", .refunded)
            .when([entry("1"), entry("2")], [bought("1", shared: true), bought("2", refunded: -3)]),
        Row("product gone from the catalog: the transaction names the group", .active)
            .when([entry("1", "pro.old")], [bought("1", "pro.old", group: "pro")]),
        Row("product gone from the catalog: another transaction of the subscription is known", .active)
            .when([entry("1", "pro.old")], [bought("1", "pro.old"), bought("1", "pro.yearly", on: -400, until: -35)]),
        Row("no id in common: by product", .active)
            .when([entry("1", "pro.old")], [bought("7", "pro.old", group: "pro")]),
        Row("the entry names its group itself", .active).when([entry("1", "pro.old", group: "pro")], []),
        Row("group of the entry unknown", .groupUnknown).when([entry("1", "pro.old")], [bought("1", "pro.old")]),
        Row("entry without product or id", .groupUnknown).when([entry(nil, nil)], []),
        Row("one entry unknown, one known", .active).when([entry("8", "other"), entry("1")], [bought("1")]),
        Row("the catalog's group wins over the evidence's", .active).when([entry("1")], [bought("1", group: "news")]),
        Row("entry without id: by product", .refunded).when([entry(nil)], [bought("5", refunded: -1)]),
    ]

    static let all =
        states + certainty + groups + unknownGroups + rowsWithoutEntry + owners + contradictions + offers + evidence
        + scopes + ahead + trials + lapseReasons + storefronts + tenures + priceIncreases + bundles + lapses + ends
        + treatments + strict
}

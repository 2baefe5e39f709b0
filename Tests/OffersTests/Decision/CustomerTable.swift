import Offers

private let yearRefundedMonthBought = history(
    [entry("1", "pro.monthly")],
    [bought("1", "pro.yearly", on: -60, until: 305, refunded: -50), bought("1", "pro.monthly", on: -5, until: 25)]
)

/// The customers, offers and verdicts that the policy is held to, one line each.
enum CustomerTable {
    static let states: [Row] = [
        Row("paid time left, renewing", [entry()], [bought()], .active),
        Row("paid time left, auto-renew off", [entry(renews: false)], [bought()], .activeAutoRenewOff),
        Row("paid time left, auto-renew unknown", [entry(renews: nil)], [bought()], .active),
        Row("expired yesterday", [entry(ended: true)], [bought(on: -31, until: -1)], .lapsed),
        Row("expired at this very moment", [entry()], [bought(on: -30, until: 0)], .lapsed),
        Row("grace left", [entry(retrying: true, graceUntil: 3)], [bought(until: -1)], .gracePeriod),
        Row("grace is over", [entry(retrying: true, graceUntil: -1)], [bought(until: -9)], .billingRetry),
        Row("grace ends this very moment", [entry(retrying: true, graceUntil: 0)], [bought(until: -9)], .billingRetry),
        Row("grace over, no retry", [entry(graceUntil: -1)], [bought(until: -9)], .lapsed),
        Row("retry without grace", [entry(retrying: true)], [bought(until: -2)], .billingRetry),
        Row("retry noted, but paid time left", [entry(retrying: true)], [bought()], .active),
        Row("grace noted, but paid time left", [entry(graceUntil: 9)], [bought()], .active),
        Row("entry alone, renewing", [entry()], [], .active),
        Row("entry alone, auto-renew off", [entry(renews: false)], [], .activeAutoRenewOff),
        Row("entry alone, ended", [entry(renews: false, ended: true)], [], .lapsed),
        Row("entry alone, in grace", [entry(ended: true, graceUntil: 2)], [], .gracePeriod),
        Row("entry alone, in retry", [entry(ended: true, retrying: true)], [], .billingRetry),
        Row("refunded", [entry()], [bought(refunded: -2)], .refunded),
        Row("refunded after it expired", [entry()], [bought(on: -60, until: -30, refunded: -20)], .refunded),
        Row("an older month refunded", [entry()], [bought(on: -40, until: -10, refunded: -30), bought()], .active),
        Row("a year refunded, then a month bought", history: yearRefundedMonthBought, .active),
        Row(
            "upgraded, and the upgrade counts",
            [entry("1", "pro.yearly")],
            [bought("1", "pro.monthly", refunded: -1, upgraded: true), bought("1", "pro.yearly", on: -1, until: 364)],
            .active
        ),
        Row("only upgraded rows: the entry tells", [entry()], [bought(upgraded: true)], .active),
        Row("shared by the family", [entry()], [bought(shared: true)], .familyShared),
        Row("shared now, bought before", [entry()], [bought(on: -90, until: -60), bought(shared: true)], .lapsed),
        Row("upgraded bought, shared left", [entry()], [bought(upgraded: true), bought(shared: true)], .familyShared),
        Row("same purchase date: the later expiry", [entry()], [bought(until: 20), bought(until: -5)], .active),
        Row("no purchase date: expiry", [entry()], [bought(on: nil, until: 20), bought(on: nil, until: -5)], .active),
    ]

    static let groups: [Row] = [
        Row("never bought anything", [], [], .neverSubscribed),
        Row("a consumable only", [], [bought("9", "coins", until: nil)], .neverSubscribed),
        Row("bought, entry gone", [], [bought(until: -200)], .noPendingRenewalInfo),
        Row("another group only", [entry("1", "news.monthly")], [bought("1", "news.monthly")], .neverSubscribed),
        Row(
            "each group by its own: news lapsed",
            [entry("1"), entry("2", "news.monthly")],
            [bought("1"), bought("2", "news.monthly", on: -60, until: -30)],
            .lapsed,
            "extra",
            product: "news.monthly"
        ),
        Row(
            "two entries of the group: the active one counts",
            [entry("1", ended: true), entry("2", "pro.yearly")],
            [bought("1", on: -90, until: -60), bought("2", "pro.yearly", on: -5, until: 360)],
            .active
        ),
        Row(
            "refunded once, lapsed once",
            [entry("1"), entry("2")],
            [bought("1", refunded: -1), bought("2", on: -90, until: -60)],
            .lapsed
        ),
        Row(
            "shared and refunded",
            [entry("1"), entry("2")],
            [bought("1", shared: true), bought("2", refunded: -3)],
            .refunded
        ),
        Row(
            "product gone from the catalog: the transaction names the group",
            [entry("1", "pro.old")],
            [bought("1", "pro.old", group: "pro")],
            .active
        ),
        Row(
            "product gone from the catalog: another transaction of the subscription is known",
            [entry("1", "pro.old")],
            [bought("1", "pro.old"), bought("1", "pro.yearly", on: -400, until: -35)],
            .active
        ),
        Row("no id in common: by product", [entry("1", "pro.old")], [bought("7", "pro.old", group: "pro")], .active),
        Row("the entry names its group itself", [entry("1", "pro.old", group: "pro")], [], .active),
        Row("group of the entry unknown", [entry("1", "pro.old")], [bought("1", "pro.old")], .groupUnknown),
        Row("entry without product or id", [entry(nil, nil)], [], .groupUnknown),
        Row("one entry unknown, one known", [entry("8", "other"), entry("1")], [bought("1")], .active),
        Row("the catalog's group wins over the evidence's", [entry("1")], [bought("1", group: "news")], .active),
        Row("entry without id: by product", [entry(nil)], [bought("5", refunded: -1)], .refunded),
    ]

    static let all =
        states + certainty + groups + unknownGroups + rowsWithoutEntry + owners + contradictions + offers + evidence
        + scopes + ahead + trials + lapseReasons + storefronts + tenures + priceIncreases + bundles + lapses + ends
        + treatments + strict
}

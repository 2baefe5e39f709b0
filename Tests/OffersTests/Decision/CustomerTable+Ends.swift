import Offers

private let newsEntry = entry("2", "news.monthly")

/// Lapsed 40 days ago; another subscription was bought three days ago, and refunded today.
private let refundedSince = history(
    [entry("1", ended: true), entry("2", "pro.yearly")],
    [bought("1", on: -70, until: -40), bought("2", "pro.yearly", on: -3, until: 27, refunded: -0.1)]
)

/// The same across groups: Pro lapsed, and News was refunded.
private let newsRefundedSince = history(
    [entry("1", ended: true), newsEntry],
    [bought("1", on: -70, until: -40), bought("2", "news.monthly", on: -3, until: 27, refunded: -0.1)]
)

/// Lapsed 40 days ago; another subscription ended nobody knows when.
private let endedSomeDay = history([entry("1", ended: true), entry("2", ended: true)], [bought(on: -70, until: -40)])

// Rows read: who the customer is, what the evidence shows, which offer, what comes out.

extension CustomerTable {
    /// When access ended last, and with which product, where a customer has had several subscriptions.
    static let ends: [Row] = [
        Row("lapsed long ago, refunded today and forgiven", refundedSince, "forgive-later", .lapsedTooRecently),
        Row("lapsed long ago, refunded today, which is not forgiven", refundedSince, "after-30", .lapsed),
        Row("lapsed and refunded: forgiven or not, that is lapsed", refundedSince, "forgive", .lapsed),
        Row("for lapsed, and refunded since", refundedSince, "comeback", .lapsed),
        Row(
            "refunded long ago, lapsed lately",
            history(
                [entry("1", ended: true), entry("2")],
                [bought("1", on: -40, until: -10), bought("2", on: -70, until: -40, refunded: -45)]
            ),
            "forgive-later",
            .lapsedTooRecently
        ),
        Row(
            "refunded and lapsed, both long ago",
            history(
                [entry("1", ended: true), entry("2")],
                [bought("1", on: -70, until: -40), bought("2", on: -50, until: -20, refunded: -45)]
            ),
            "forgive-later",
            .lapsed
        ),
        Row(
            "scope app: Pro lapsed long ago, News refunded today and forgiven",
            newsRefundedSince,
            "whole-app-forgive-later",
            .lapsedTooRecently
        ),
        Row("scope group: what was refunded in News is none of Pro's", newsRefundedSince, "forgive-later", .lapsed),
        Row("from News, which was refunded last and is forgiven", newsRefundedSince, "from-news-forgive", .lapsed),
        Row("from News, which was refunded last", newsRefundedSince, "from-news", .notFromProduct),
        Row(
            "from News, which was refunded before Pro ended",
            history(
                [entry("1", ended: true), newsEntry],
                [bought("1", on: -70, until: -40), bought("2", "news.monthly", on: -70, until: -40, refunded: -50)]
            ),
            "from-news-forgive",
            .notFromProduct
        ),
        Row(
            "two shared, one ended long ago, the other withdrawn lately",
            history(
                [entry("1"), entry("2")],
                [bought("1", on: -70, until: -40, shared: true), bought("2", refunded: -2, shared: true)]
            ),
            "families-forgive-later",
            .lapsedTooRecently
        ),
        Row(
            "own subscription ended long ago: a shared one that was withdrawn lately does not count",
            history(
                [entry("2"), entry("1", ended: true)],
                [bought("1", on: -70, until: -40), bought("2", refunded: -2, shared: true)]
            ),
            "families-forgive-later",
            .lapsed
        ),
        Row("one of two ended nobody knows when", endedSomeDay, "after-30", .noEvidence),
        Row("one of two ended nobody knows when, nor for a maximum", endedSomeDay, "within-60", .noEvidence),
        Row("one of two ended nobody knows when: lapsed all the same", endedSomeDay, "comeback", .lapsed),
        Row(
            "in another group something ended nobody knows when",
            history([entry("1", ended: true), entry("2", "news.monthly", ended: true)], [bought(on: -70, until: -40)]),
            "after-30",
            .lapsed
        ),
        Row(
            "something ended nobody knows when, and another runs",
            history([entry("1"), entry("2", ended: true)], [bought()]),
            "after-30",
            .active
        ),
    ]
}

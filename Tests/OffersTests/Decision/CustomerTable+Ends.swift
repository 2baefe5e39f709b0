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
        Row("lapsed long ago, refunded today, forgiven", history: refundedSince, .lapsedTooRecently, "forgive-later"),
        Row("lapsed long ago, refunded today, which is not forgiven", history: refundedSince, .lapsed, "after-30"),
        Row("lapsed and refunded: forgiven or not, that is lapsed", history: refundedSince, .lapsed, "forgive"),
        Row("for lapsed, and refunded since", history: refundedSince, .lapsed, "comeback"),
        Row(
            "refunded long ago, lapsed lately",
            [entry("1", ended: true), entry("2")],
            [bought("1", on: -40, until: -10), bought("2", on: -70, until: -40, refunded: -45)],
            .lapsedTooRecently,
            "forgive-later"
        ),
        Row(
            "refunded and lapsed, both long ago",
            [entry("1", ended: true), entry("2")],
            [bought("1", on: -70, until: -40), bought("2", on: -50, until: -20, refunded: -45)],
            .lapsed,
            "forgive-later"
        ),
        Row(
            "scope app: Pro lapsed long ago, News refunded today and forgiven",
            history: newsRefundedSince,
            .lapsedTooRecently,
            "whole-app-forgive-later"
        ),
        Row("scope group: a refund in News is none of Pro's", history: newsRefundedSince, .lapsed, "forgive-later"),
        Row("from News, refunded last and forgiven", history: newsRefundedSince, .lapsed, "from-news-forgive"),
        Row("from News, which was refunded last", history: newsRefundedSince, .notFromProduct, "from-news"),
        Row(
            "from News, which was refunded before Pro ended",
            [entry("1", ended: true), newsEntry],
            [bought("1", on: -70, until: -40), bought("2", "news.monthly", on: -70, until: -40, refunded: -50)],
            .notFromProduct,
            "from-news-forgive"
        ),
        Row(
            "two shared, one ended long ago, the other withdrawn lately",
            [entry("1"), entry("2")],
            [bought("1", on: -70, until: -40, shared: true), bought("2", refunded: -2, shared: true)],
            .lapsedTooRecently,
            "families-forgive-later"
        ),
        Row(
            "own subscription ended long ago: a shared one that was withdrawn lately does not count",
            [entry("2"), entry("1", ended: true)],
            [bought("1", on: -70, until: -40), bought("2", refunded: -2, shared: true)],
            .lapsed,
            "families-forgive-later"
        ),
        Row("one of two ended nobody knows when", history: endedSomeDay, .noEvidence, "after-30"),
        Row("one of two ended nobody knows when: lapsed all the same", history: endedSomeDay, .lapsed, "comeback"),
        Row(
            "in another group something ended nobody knows when",
            [entry("1", ended: true), entry("2", "news.monthly", ended: true)],
            [bought(on: -70, until: -40)],
            .lapsed,
            "after-30"
        ),
    ]
}

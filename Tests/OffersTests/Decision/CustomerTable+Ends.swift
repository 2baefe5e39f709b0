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

// Rows read: who the customer is, what comes out, for which offer, when the evidence shows what.

extension CustomerTable {
    /// When access ended last, and with which product, where a customer has had several subscriptions.
    static let ends: [Row] = [
        Row("lapsed long ago, refunded today, forgiven", .lapsedTooRecently, "forgive-later").when(refundedSince),
        Row("lapsed long ago, refunded today, which is not forgiven", .lapsed, "after-30").when(refundedSince),
        Row("lapsed and refunded: forgiven or not, that is lapsed", .lapsed, "forgive").when(refundedSince),
        Row("for lapsed, and refunded since", .lapsed, "comeback").when(refundedSince),
        Row("refunded long ago, lapsed lately", .lapsedTooRecently, "forgive-later")
            .when(
                [entry("1", ended: true), entry("2")],
                [bought("1", on: -40, until: -10), bought("2", on: -70, until: -40, refunded: -45)]
            ),
        Row("refunded and lapsed, both long ago", .lapsed, "forgive-later")
            .when(
                [entry("1", ended: true), entry("2")],
                [bought("1", on: -70, until: -40), bought("2", on: -50, until: -20, refunded: -45)]
            ),
        Row("scope app: Pro long lapsed, News refunded today, forgiven", .lapsedTooRecently, "whole-app-forgive-later")
            .when(newsRefundedSince),
        Row("scope group: a refund in News is none of Pro's", .lapsed, "forgive-later").when(newsRefundedSince),
        Row("from News, refunded last and forgiven", .lapsed, "from-news-forgive").when(newsRefundedSince),
        Row("from News, which was refunded last", .notFromProduct, "from-news").when(newsRefundedSince),
        Row("from News, which was refunded before Pro ended", .notFromProduct, "from-news-forgive")
            .when(
                [entry("1", ended: true), newsEntry],
                [bought("1", on: -70, until: -40), bought("2", "news.monthly", on: -70, until: -40, refunded: -50)]
            ),
        Row("two shared, one ended long ago, the other withdrawn lately", .lapsedTooRecently, "families-forgive-later")
            .when(
                [entry("1"), entry("2")],
                [bought("1", on: -70, until: -40, shared: true), bought("2", refunded: -2, shared: true)]
            ),
        Row("own one ended long ago: a shared one withdrawn lately does not count", .lapsed, "families-forgive-later")
            .when(
                [entry("2"), entry("1", ended: true)],
                [bought("1", on: -70, until: -40), bought("2", refunded: -2, shared: true)]
            ),
        Row("one of two ended nobody knows when", .noEvidence, "after-30").when(endedSomeDay),
        Row("one of two ended nobody knows when: lapsed all the same", .lapsed, "comeback").when(endedSomeDay),
        Row("in another group something ended nobody knows when", .lapsed, "after-30")
            .when([entry("1", ended: true), entry("2", "news.monthly", ended: true)], [bought(on: -70, until: -40)]),
    ]
}

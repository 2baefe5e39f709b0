import Offers

/// A purchase with what Apple signs beside dates and states.
private func told(
    _ transaction: Transaction = bought(),
    in storefront: String? = nil,
    first: Double? = nil,
    with bundle: String? = nil
) -> Transaction {
    var transaction = transaction
    transaction.storefront = storefront
    transaction.originalPurchaseDate = first.map(day)
    transaction.bundle = bundle.map { .of(originalTransactionId: $0, transactionId: nil, productId: "all") }
    return transaction
}

private func said(
    _ renewal: RenewalInfo,
    because intent: Int64? = nil,
    price: String? = nil,
    leaves: Bool = false
) -> RenewalInfo {
    var renewal = renewal
    renewal.lapseReason = intent.flatMap(LapseReason.init)
    renewal.priceIncrease = PriceIncrease(price)
    renewal.willUnbundle = leaves
    return renewal
}

private let ended = entry(renews: false, ended: true)
private let over = bought(on: -40, until: -10)
private let yearEnded = entry("2", "pro.yearly", renews: false, ended: true)

extension CustomerTable {
    /// `lapsedBecause`: of the subscription that ended last, and of lapsed customers alone.
    static let lapseReasons: [Row] = [
        Row("cancelled", .lapsed, "cancelled").when([said(ended, because: 1)], [over]),
        Row("a higher price", .lapsed, "cancelled").when([said(ended, because: 3)], [over]),
        Row("the payment failed", .notLapsedBecause, "cancelled").when([said(ended, because: 2)], [over]),
        Row("gone from sale", .notLapsedBecause, "cancelled").when([said(ended, because: 4)], [over]),
        Row("another reason", .noEvidence, "cancelled").when([said(ended, because: 5)], [over]),
        Row("no reason", .noEvidence, "cancelled").when([entry(renews: false)], [over]),
        Row("another reason, and nothing asked", .lapsed, "comeback").when([said(ended, because: 5)], [over]),
        Row("not lapsed", .active, "cancelled").when([entry()], [bought()]),
        Row("by the entry alone, without an end", .lapsed, "cancelled").when([said(ended, because: 1)], []),
        Row("after a refund", .noEvidence, "cancelled-forgive")
            .when([said(ended, because: 1)], [bought(on: -40, until: -10, refunded: -20)]),
        Row("two: the one that ended last counts", .notLapsedBecause, "cancelled")
            .when(
                [said(ended, because: 1), said(yearEnded, because: 2)],
                [over, bought("2", "pro.yearly", on: -400, until: -5)]
            ),
        Row("two of one reason, and the end of one is not said", .lapsed, "cancelled")
            .when([said(ended, because: 1), said(yearEnded, because: 1)], [over]),
        Row("two of different reasons, and the end of one is not said", .noEvidence, "cancelled")
            .when([said(ended, because: 1), said(yearEnded, because: 2)], [over]),
    ]

    /// `storefronts`: of the period that decides.
    static let storefronts: [Row] = [
        Row("in one of them", .active, "in-usa").when([entry()], [told(in: "CAN")]),
        Row("in another", .notInStorefront, "in-usa").when([entry()], [told(in: "DEU")]),
        Row("not said", .noEvidence, "in-usa").when([entry()], [told()]),
        Row("not said, and nothing asked", .active).when([entry()], [told()]),
        Row("by the entry alone", .noEvidence, "in-usa").when([entry()], []),
        Row("lapsed in another", .notInStorefront, "in-usa").when([ended], [told(over, in: "DEU")]),
        Row("moved there since", .active, "in-usa")
            .when(
                [entry()],
                [told(bought(on: -40, until: -10, called: "1"), in: "DEU"), told(bought(called: "2"), in: "USA")]
            ),
    ]

    /// `minimumTenureDays`: since the first own purchase in the group.
    static let tenures: [Row] = [
        Row("90 days ago", .active, "tenured").when([entry()], [told(first: -90)]),
        Row("a millisecond less", .tenureTooShort, "tenured").when([entry()], [told(first: -90 + 1.0 / 86_400_000)]),
        Row("not said", .noEvidence, "tenured").when([entry()], [told()]),
        Row("not said, and nothing asked", .active).when([entry()], [told()]),
        Row("an earlier subscription, long over", .active, "tenured")
            .when(
                [entry(), entry("2", "pro.yearly", renews: false, ended: true)],
                [told(first: -10), told(bought("2", "pro.yearly", on: -500, until: -135), first: -500)]
            ),
        Row("an earlier one of another group", .tenureTooShort, "tenured")
            .when(
                [entry(), entry("2", "news.monthly")],
                [told(first: -10), told(bought("2", "news.monthly"), first: -500)]
            ),
        Row("the same for the whole app", .active, "whole-app-tenured")
            .when(
                [entry(), entry("2", "news.monthly")],
                [told(first: -10), told(bought("2", "news.monthly"), first: -500)]
            ),
        Row("a family member's purchase is none", .tenureTooShort, "tenured")
            .when(
                [entry(), entry("2", "pro.yearly")],
                [told(first: -10), told(bought("2", "pro.yearly", shared: true), first: -500)]
            ),
        Row("of another purchase it is not said, and this one is too short", .noEvidence, "tenured")
            .when(
                [entry(), entry("2", "pro.yearly", renews: false, ended: true)],
                [told(first: -10), bought("2", "pro.yearly", on: -500, until: -135)]
            ),
        Row("too short, and purchases may be left out", .noEvidence, "tenured")
            .when([entry()], [told(first: -10)], coverage: .partial),
        Row("too short, and of an earlier purchase nobody says the group", .noEvidence, "tenured")
            .when([entry()], [told(first: -10), told(bought("9", "gone", on: -500, until: -135), first: -500)]),
        Row("long enough by a part", .active, "tenured").when([entry()], [told(first: -91)], coverage: .partial),
        Row("too short, by the newest of each subscription", .tenureTooShort, "tenured")
            .when([entry()], [told(first: -10)], coverage: .newestTransactions),
    ]

    /// `duringPriceIncrease`.
    static let priceIncreases: [Row] = [
        Row("not answered", .priceIncreasePending, "calm").when([said(entry(), price: "0")], [bought()]),
        Row("not answered, and nothing asked", .active).when([said(entry(), price: "0")], [bought()]),
        Row("accepted", .active, "calm").when([said(entry(), price: "1")], [bought()]),
        Row("another number", .noEvidence, "calm").when([said(entry(), price: "2")], [bought()]),
        Row("without the field none is due", .active, "calm").when([entry()], [bought()]),
        Row("without a renewal info", .noEvidence, "calm").when([], [bought()], coverage: .partial),
    ]

    /// `bundled`, and those who left a bundle.
    static let bundles: [Row] = [
        Row("with a bundle", .bundled).when([entry()], [told(with: "9")]),
        Row("with a bundle, and allowed", .active, "bundles").when([entry()], [told(with: "9")]),
        Row("with a bundle that is over", .bundled, "comeback").when([ended], [told(over, with: "9")]),
        Row("with a bundle that is over, and allowed", .lapsed, "bundles").when([ended], [told(over, with: "9")]),
        Row("with a bundle before, now bought by itself", .active)
            .when([entry()], [told(bought(on: -40, until: -10, called: "1"), with: "9"), bought(called: "2")]),
        Row("leaves the bundle: whether it renews by itself is not known", .stateNotInAudience, "bundles-active")
            .when([said(entry(), leaves: true)], [told(with: "9")]),
        Row("stays in the bundle", .active, "bundles-active").when([entry()], [told(with: "9")]),
        Row("left the bundle, which runs", .noEvidence, "bundles")
            .when(
                [ended, entry("9", "all", group: "bundles")],
                [told(over, with: "9"), bought("9", "all", group: "bundles")]
            ),
        Row("left the bundle, which is over, too", .lapsed, "bundles")
            .when(
                [ended, entry("9", "all", renews: false, ended: true, group: "bundles")],
                [told(over, with: "9"), bought("9", "all", on: -40, until: -10, group: "bundles")]
            ),
    ]
}

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

extension CustomerTable {
    /// `lapsedBecause`: of the subscription that ended last, and of lapsed customers alone.
    static let lapseReasons: [Row] = [
        Row("cancelled", [said(ended, because: 1)], [over], .lapsed, "cancelled"),
        Row("a higher price", [said(ended, because: 3)], [over], .lapsed, "cancelled"),
        Row("the payment failed", [said(ended, because: 2)], [over], .notLapsedBecause, "cancelled"),
        Row("gone from sale", [said(ended, because: 4)], [over], .notLapsedBecause, "cancelled"),
        Row("another reason", [said(ended, because: 5)], [over], .noEvidence, "cancelled"),
        Row("no reason", [entry(renews: false)], [over], .noEvidence, "cancelled"),
        Row("another reason, and nothing asked", [said(ended, because: 5)], [over], .lapsed, "comeback"),
        Row("not lapsed", [entry()], [bought()], .active, "cancelled"),
        Row("by the entry alone, without an end", [said(ended, because: 1)], [], .lapsed, "cancelled"),
        Row(
            "after a refund",
            [said(ended, because: 1)],
            [bought(on: -40, until: -10, refunded: -20)],
            .noEvidence,
            "cancelled-forgive"
        ),
        Row(
            "two: the one that ended last counts",
            [said(ended, because: 1), said(entry("2", "pro.yearly", renews: false, ended: true), because: 2)],
            [over, bought("2", "pro.yearly", on: -400, until: -5)],
            .notLapsedBecause,
            "cancelled"
        ),
    ]

    /// `storefronts`: of the period that decides.
    static let storefronts: [Row] = [
        Row("in one of them", [entry()], [told(in: "CAN")], .active, "in-usa"),
        Row("in another", [entry()], [told(in: "DEU")], .notInStorefront, "in-usa"),
        Row("not said", [entry()], [told()], .noEvidence, "in-usa"),
        Row("not said, and nothing asked", [entry()], [told()], .active),
        Row("by the entry alone", [entry()], [], .noEvidence, "in-usa"),
        Row("lapsed in another", [ended], [told(over, in: "DEU")], .notInStorefront, "in-usa"),
        Row(
            "moved there since",
            [entry()],
            [told(bought(on: -40, until: -10, called: "1"), in: "DEU"), told(bought(called: "2"), in: "USA")],
            .active,
            "in-usa"
        ),
    ]

    /// `minimumTenureDays`: since the first own purchase in the group.
    static let tenures: [Row] = [
        Row("90 days ago", [entry()], [told(first: -90)], .active, "tenured"),
        Row("a millisecond less", [entry()], [told(first: -90 + 1.0 / 86_400_000)], .tenureTooShort, "tenured"),
        Row("not said", [entry()], [told()], .noEvidence, "tenured"),
        Row("not said, and nothing asked", [entry()], [told()], .active),
        Row(
            "an earlier subscription, long over",
            [entry(), entry("2", "pro.yearly", renews: false, ended: true)],
            [told(first: -10), told(bought("2", "pro.yearly", on: -500, until: -135), first: -500)],
            .active,
            "tenured"
        ),
        Row(
            "an earlier one of another group",
            [entry(), entry("2", "news.monthly")],
            [told(first: -10), told(bought("2", "news.monthly"), first: -500)],
            .tenureTooShort,
            "tenured"
        ),
        Row(
            "the same for the whole app",
            [entry(), entry("2", "news.monthly")],
            [told(first: -10), told(bought("2", "news.monthly"), first: -500)],
            .active,
            "whole-app-tenured"
        ),
        Row(
            "a family member's purchase is none",
            [entry(), entry("2", "pro.yearly")],
            [told(first: -10), told(bought("2", "pro.yearly", shared: true), first: -500)],
            .tenureTooShort,
            "tenured"
        ),
        Row(
            "of another purchase it is not said, and this one is too short",
            [entry(), entry("2", "pro.yearly", renews: false, ended: true)],
            [told(first: -10), bought("2", "pro.yearly", on: -500, until: -135)],
            .noEvidence,
            "tenured"
        ),
        Row(
            "too short, and purchases may be left out",
            [entry()],
            [told(first: -10)],
            coverage: .partial,
            .noEvidence,
            "tenured"
        ),
        Row(
            "too short, and of an earlier purchase nobody says the group",
            [entry()],
            [told(first: -10), told(bought("9", "gone", on: -500, until: -135), first: -500)],
            .noEvidence,
            "tenured"
        ),
        Row("long enough by a part", [entry()], [told(first: -91)], coverage: .partial, .active, "tenured"),
        Row(
            "too short, by the newest of each subscription",
            [entry()],
            [told(first: -10)],
            coverage: .newestTransactions,
            .tenureTooShort,
            "tenured"
        ),
    ]

    /// `duringPriceIncrease`.
    static let priceIncreases: [Row] = [
        Row("not answered", [said(entry(), price: "0")], [bought()], .priceIncreasePending, "calm"),
        Row("not answered, and nothing asked", [said(entry(), price: "0")], [bought()], .active),
        Row("accepted", [said(entry(), price: "1")], [bought()], .active, "calm"),
        Row("another number", [said(entry(), price: "2")], [bought()], .noEvidence, "calm"),
        Row("without the field none is due", [entry()], [bought()], .active, "calm"),
        Row("without a renewal info", [], [bought()], coverage: .partial, .noEvidence, "calm"),
    ]

    /// `bundled`, and those who left a bundle.
    static let bundles: [Row] = [
        Row("with a bundle", [entry()], [told(with: "9")], .bundled),
        Row("with a bundle, and allowed", [entry()], [told(with: "9")], .active, "bundles"),
        Row("with a bundle that is over", [ended], [told(over, with: "9")], .bundled, "comeback"),
        Row("with a bundle that is over, and allowed", [ended], [told(over, with: "9")], .lapsed, "bundles"),
        Row(
            "with a bundle before, now bought by itself",
            [entry()],
            [told(bought(on: -40, until: -10, called: "1"), with: "9"), bought(called: "2")],
            .active
        ),
        Row(
            "leaves the bundle: whether it renews by itself is not known",
            [said(entry(), leaves: true)],
            [told(with: "9")],
            .stateNotInAudience,
            "bundles-active"
        ),
        Row("stays in the bundle", [entry()], [told(with: "9")], .active, "bundles-active"),
        Row(
            "left the bundle, which runs",
            [ended, entry("9", "all", group: "bundles")],
            [told(over, with: "9"), bought("9", "all", group: "bundles")],
            .noEvidence,
            "bundles"
        ),
        Row(
            "left the bundle, which is over, too",
            [ended, entry("9", "all", renews: false, ended: true, group: "bundles")],
            [told(over, with: "9"), bought("9", "all", on: -40, until: -10, group: "bundles")],
            .lapsed,
            "bundles"
        ),
    ]
}

import Offers

private let hour = 1.0 / 24

/// A renewal that Apple charged ahead: its period begins later than it was signed.
private func renewal(
    _ id: String = "2",
    _ product: String = "pro.monthly",
    from begin: Double,
    until end: Double,
    refunded: Double? = nil,
    under offer: RedeemedOffer? = nil,
    isFree: Bool? = false
) -> Transaction {
    var transaction = bought(
        "1",
        product,
        on: begin,
        until: end,
        refunded: refunded,
        under: offer,
        called: id,
        because: .renewal
    )
    transaction.isFree = isFree
    return transaction
}

/// The period before it.
private func period(
    _ product: String = "pro.monthly",
    from begin: Double = -30 + 5 * hour,
    until end: Double = 5 * hour,
    refunded: Double? = nil,
    isFree: Bool? = false
) -> Transaction {
    var transaction = bought("1", product, on: begin, until: end, refunded: refunded, called: "1", because: .purchase)
    transaction.isFree = isFree
    return transaction
}

private func said(_ renews: Bool? = true, until renewalDate: Double? = nil, offer: String? = nil) -> RenewalInfo {
    var info = entry(renews: renews, nextOffer: offer)
    info.renewalDate = renewalDate.map(day)
    return info
}

/// Signed data, each piece with the days of its dates.
private func signed(_ transactions: [(Transaction, Double)], _ renewals: [(RenewalInfo, Double)] = []) -> Shown {
    var shown = history([], [], asOf: clock, coverage: .partial)
    shown.statements = transactions.map { Statement($0, asOf: day($1), by: .signature) }
    shown.words = renewals.map { Statement($0, asOf: day($1), by: .signature) }
    return shown
}

extension CustomerTable {
    /// Periods that Apple charges, signs and shows up to a day before they begin.
    static let ahead: [Row] = {
        let (trial, paid) = (period(from: -7, until: 5 * hour, isFree: true), renewal(from: 5 * hour, until: 30))
        let yearly = period("pro.yearly", from: -365, until: 5 * hour)
        let refund = renewal(from: 5 * hour, until: 30, refunded: -hour)
        let begun = renewal(from: -hour, until: 30)
        let rows: [Row] = [
            // What counts is the newest period that has begun.
            Row("a trial runs, its paid renewal is there", .inTrial, "paying")
                .when(signed([(trial, -7), (paid, -15 * hour)], [(said(until: 30), -15 * hour)])),
            Row("the same by verifyReceipt", .inTrial, "paying").when([entry()], [trial, paid]),
            Row("a period after a gap, which began since the answer was made", .stateNotInAudience, "comeback")
                .when(
                    [entry(renews: false)],
                    [period(from: -3, until: -0.9), renewal(from: -0.1, until: 30)],
                    asOf: day(-0.95)
                ),
            Row("the trial is over: the renewal counts", .active, "paying")
                .when([entry()], [period(from: -7, until: -hour, isFree: true), renewal(from: -hour, until: 30)]),
            Row("a period has begun five minutes before its date", .active, "paying")
                .when(
                    [entry()],
                    [period(from: -7, until: hour / 12, isFree: true), renewal(from: hour / 12, until: 30)]
                ),
            Row("not six minutes before it", .inTrial, "paying")
                .when(
                    [entry()],
                    [period(from: -7, until: hour / 10, isFree: true), renewal(from: hour / 10, until: 30)]
                ),
            Row("the year runs, a month is ahead: from the year", .active, "from-year")
                .when(
                    signed(
                        [(yearly, -365), (renewal(from: 5 * hour, until: 30), -15 * hour)],
                        [(said(until: 30), -15 * hour)]
                    )
                ),
            Row("the month runs, the year is ahead: not from the year", .notFromProduct, "from-year")
                .when([entry()], [period(), renewal("2", "pro.yearly", from: 5 * hour, until: 365)]),
            // A refund before the period begins.
            Row("the refunded renewal is ahead: the period before it runs", .activeAutoRenewOff, "stay")
                .when(signed([(period(), 0), (refund, 0)], [(said(false), 0)])),
            Row("the same for lapsed customers after a refund", .stateNotInAudience, "forgive-lapsed")
                .when(signed([(period(), 0), (refund, 0)], [(said(false), 0)])),
            Row("by verifyReceipt", .activeAutoRenewOff, "stay").when([entry(renews: false)], [period(), refund]),
            Row("once it has begun it is a refund", .refunded)
                .when(
                    [entry(renews: false)],
                    [period(from: -31, until: -hour), renewal(from: -hour, until: 30, refunded: -2 * hour)]
                ),
            Row("bought again for the same time since, it runs", .active)
                .when(
                    [entry()],
                    [
                        period(from: -31, until: -hour), renewal(from: -hour, until: 30, refunded: -2 * hour),
                        renewal("3", from: -hour, until: 30),
                    ]
                ),
            Row("another product bought since the refund runs", .active, "from-year")
                .when(
                    [entry()],
                    [
                        period(from: -31, until: -hour), renewal(from: -hour, until: 30, refunded: -2 * hour),
                        renewal("3", "pro.yearly", from: -1.5 * hour, until: 365),
                    ]
                ),
            Row("nothing but the refunded renewal is shown", .noEvidence)
                .when(signed([(refund, 0)], [(said(false), 0)])),
            // The one ahead shows that the subscription renewed.
            Row("the running period ends soon, the next one is paid for", .active).when([entry()], [period(), paid]),
            Row("the running period was refunded, the one ahead is not", .active)
                .when([entry()], [period(refunded: -1), paid]),
            Row("what was said before the renewal was shown says nothing of it", .active, "anyone")
                .when(signed([(period(), -25), (paid, -15 * hour)], [(said(false), -20 * hour)])),
            Row("nor are offers for those who cancelled theirs", .stateNotInAudience, "stay")
                .when(signed([(period(), -25), (paid, -15 * hour)], [(said(false), -20 * hour)])),
            Row("said with the renewal in view, by its end", .activeAutoRenewOff, "stay")
                .when(signed([(period(), -25), (paid, 0)], [(said(false, until: 30), -10 * hour)])),
            Row("a gap of days between them is none", .active)
                .when([entry()], [period(from: -30, until: -2), renewal(from: hour, until: 30)]),
            // The only one known is ahead.
            Row("only the renewal ahead is shown: what runs is not known, for a trial", .noEvidence, "paying")
                .when(signed([(paid, -15 * hour)], [(said(until: 30), -15 * hour)])),
            Row("nor for the product", .noEvidence, "from-year")
                .when(signed([(paid, -15 * hour)], [(said(until: 30), -15 * hour)])),
            Row("other rules take it for what it is", .active)
                .when(signed([(paid, -15 * hour)], [(said(until: 30), -15 * hour)])),
            Row("a first purchase that begins later is a purchase", .notFromProduct, "from-year")
                .when(signed([(bought(on: 5 * hour, until: 30, called: "1", because: .purchase), -hour)])),
            // An upgrade before it begins replaces it, and Apple says so of neither.
            Row("an upgrade replaced it: the year runs", .activeAutoRenewOff, "stay").when(upgraded()),
            Row("by the year's product", .active, "from-year").when(upgraded(renews: true)),
            Row("the upgrade was refunded", .refunded).when(upgraded(refunded: -hour)),
            // A transaction that a device has signed again says nothing of the renewal.
            Row("auto-renew off in those hours, by the end that it names", .activeAutoRenewOff, "stay")
                .when(signed([(begun, 0)], [(said(false, until: 30), -16 * hour)])),
            Row("without that end it says nothing of the period", .stateNotInAudience, "stay")
                .when(signed([(begun, 0)], [(said(false), -16 * hour)])),
            Row("an offer taken in those hours is taken", .redemptionLimit, "once")
                .when(signed([(begun, 0)], [(said(until: 30, offer: "once"), -16 * hour)])),
            Row("shown first before it was said: an earlier copy knows it", .activeAutoRenewOff, "stay")
                .when(signed([(begun, -21 * hour), (begun, 0)], [(said(false), -16 * hour)])),
            Row("redeemed by the renewal ahead", .redemptionLimit, "once")
                .when(
                    signed(
                        [(period(), 0), (renewal(from: 5 * hour, until: 30, under: .promotional("once")), -hour)],
                        [(said(until: 30), -hour)]
                    )
                ),
            Row("seats that were added since are of the period before", .activeAutoRenewOff, "stay")
                .when(
                    signed(
                        [(period(from: -10, until: 20), -20 * hour), (seats(from: -hour, until: 20), 0)],
                        [(said(false), -9 * hour)]
                    )
                ),
            // Another type than a subscription's.
            Row("a type that does not renew", .noEvidence)
                .when(signed([(other("Non-Renewing Subscription"), 0)], [(said(), 0)])),
            Row("beside a subscription it is left out", .active)
                .when(signed([(other("Consumable"), 0), (period(), -1)], [(said(), -1)])),
        ]
        return rows
    }()

    /// A month that was charged ahead 20 hours ago and has begun an hour ago, and a year bought in between.
    private static func upgraded(refunded: Double? = nil, renews: Bool = false) -> Shown {
        signed(
            [
                (period(from: -31, until: -hour), -31), (renewal(from: -hour, until: 30), -20 * hour),
                (renewal("3", "pro.yearly", from: -10 * hour, until: 355, refunded: refunded), refunded ?? -10 * hour),
            ],
            [(said(renews, until: 355), -10 * hour)]
        )
    }

    private static func seats(from begin: Double, until end: Double) -> Transaction {
        var transaction = bought(on: begin, until: end, called: "9", because: .purchase)
        transaction.isAddition = true
        return transaction
    }

    private static func other(_ type: String) -> Transaction {
        var transaction = bought("1", on: -10, until: nil, called: "8")
        transaction.kind = .other
        transaction.typeName = type
        return transaction
    }
}

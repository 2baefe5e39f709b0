import Offers

/// What Apple says that a subscription is, on a day.
private func status(_ code: SubscriptionStatus.Code, on date: Double = 0, _ entry: RenewalInfo = entry()) -> RenewalInfo
{
    var entry = entry
    entry.status = SubscriptionStatus(code, asOf: day(date))
    return entry
}

/// Paid month by month for a commitment of a year.
private func monthly(_ transaction: Transaction = bought()) -> Transaction {
    var transaction = transaction
    transaction.billingPlan = .monthly(
        BillingPlan.Commitment(billingPeriodNumber: 3, totalBillingPeriods: 12, expiresDate: day(290))
    )
    return transaction
}

private func committed(renews: Bool? = true, after: Bool?) -> RenewalInfo {
    var entry = entry(renews: renews)
    entry.commitmentAutoRenewStatus = after
    return entry
}

/// Family Sharing ended.
private let unshared: Transaction = {
    var transaction = bought(refunded: -2, shared: true)
    transaction.revocation = Revocation(.family)
    return transaction
}()

/// A pair of which each has a date of its own.
private func pair(
    _ transaction: Transaction,
    on bought: Double,
    _ renewal: RenewalInfo,
    on renewed: Double
) -> SubscriptionHistory {
    var history = signed(transaction, renewal, on: bought)
    history.renewals?[0].signedDate = day(renewed)
    return history
}

extension CustomerTable {
    /// What is known of an end, and what only seems to be: nobody has lapsed by default.
    static let certainty: [Row] = [
        // An end that nobody said.
        Row("no end on the purchase, renewing", history([entry()], [bought(until: nil)]), "anyone", .noEvidence),
        Row(
            "no end on the purchase, for the lapsed",
            history([entry()], [bought(until: nil)]),
            "comeback",
            .noEvidence
        ),
        Row("no end, but an intent", history([entry(ended: true)], [bought(until: nil)]), "comeback", .noEvidence),
        Row("no end, signed", signed(bought(until: nil), entry(renews: false), on: -1), "comeback", .noEvidence),
        Row("no end, but in grace", history([entry(graceUntil: 2)], [bought(until: nil)]), "anyone", .gracePeriod),
        Row(
            "one without an end beside one that lapsed",
            history([entry(), entry("2", ended: true)], [bought(until: nil), bought("2", until: -5)]),
            "comeback",
            .noEvidence
        ),
        Row(
            "one without an end beside one that is active",
            history([entry(), entry("2")], [bought(until: nil), bought("2")]),
            "anyone",
            .active
        ),
        Row(
            "a shared one without an end",
            history([entry()], [bought(until: nil, shared: true)]),
            "anyone",
            .familyShared
        ),
        // A renewal that nobody saw.
        Row("a pair from before the end", signed(bought(until: -5), entry(), on: -20), "comeback", .evidenceStale),
        Row("the same, for whoever it is", signed(bought(until: -0.5), entry(), on: -0.9), "anyone", .active),
        Row("the same, away for a while", signed(bought(until: -5), entry(), on: -20), "after-30", .evidenceStale),
        Row("a transaction alone from before its end", signed(bought(until: -5), on: -9), "comeback", .evidenceStale),
        Row("a transaction alone from after its end", signed(bought(until: -5), on: -1), "comeback", .lapsed),
        Row(
            "a pair from before the end, auto-renew off",
            signed(bought(until: -0.5), entry(renews: false), on: -0.9),
            "comeback",
            .lapsed
        ),
        Row(
            "an old transaction with a renewal info from after its end that renews",
            pair(bought(until: -5), on: -9, entry(), on: -1),
            "comeback",
            .evidenceStale
        ),
        Row(
            "an old transaction with a renewal info from after its end, in retry",
            pair(bought(until: -0.5), on: -0.9, entry(retrying: true), on: -0.1),
            "stay",
            .billingRetry
        ),
        Row(
            "an old transaction with a renewal info from after its end, ended",
            pair(bought(until: -0.5), on: -0.9, entry(ended: true), on: -0.1),
            "comeback",
            .lapsed
        ),
        Row(
            "a grace period that is over since",
            pair(bought(until: -9), on: -8, entry(graceUntil: -2), on: -8),
            "comeback",
            .evidenceStale
        ),
        Row(
            "an answer from before the end",
            history([entry()], [bought(until: -0.2)], asOf: day(-0.5)),
            "comeback",
            .evidenceStale
        ),
        Row(
            "an answer from before the end, auto-renew off",
            history([entry(renews: false)], [bought(until: -0.2)], asOf: day(-0.5)),
            "comeback",
            .lapsed
        ),
        Row(
            "one that was to renew beside one whose auto-renew is off",
            history([entry(), entry("2", renews: false)], [bought(until: -0.2), bought("2")], asOf: day(-0.5)),
            "stay",
            .evidenceStale
        ),
        // Apple's own status.
        Row(
            "status 1, the end a little ago",
            history([status(.active)], [bought(until: -0.01)]),
            "comeback",
            .stateNotInAudience
        ),
        Row(
            "status 1, the end a little ago: active",
            history([status(.active)], [bought(until: -0.01)]),
            "anyone",
            .active
        ),
        Row(
            "status 2, the end ahead: an offer has to hold by both",
            history([status(.expired)], [bought()]),
            "comeback",
            .stateNotInAudience
        ),
        Row(
            "status 2, the end ahead, an offer that holds by both",
            history([status(.expired)], [bought()]),
            "anyone",
            .lapsed
        ),
        Row("status 2 without an end", history([status(.expired)], [bought(until: nil)]), "comeback", .lapsed),
        Row(
            "status 3, the end ahead: an offer has to hold by both",
            history([status(.billingRetry)], [bought()]),
            "stay",
            .stateNotInAudience
        ),
        Row("status 4 without a date", history([status(.gracePeriod)], [bought(until: -1)]), "anyone", .gracePeriod),
        Row("status 5", history([status(.revoked)], [bought()]), "anyone", .refunded),
        Row("status 5, Family Sharing ended", history([status(.revoked)], [unshared]), "families", .lapsed),
        Row(
            "status 1 from before the end",
            signed(bought(until: -5), status(.active, on: -20), on: -20),
            "comeback",
            .evidenceStale
        ),
        Row(
            "status 1 from before a refund",
            history([status(.active, on: -3)], [bought(refunded: -2)]),
            "anyone",
            .refunded
        ),
        // Commitments.
        Row("a commitment that goes on", history([committed(after: true)], [monthly()]), "anyone", .active),
        Row(
            "a commitment that was cancelled",
            history([committed(after: false)], [monthly()]),
            "stay",
            .activeAutoRenewOff
        ),
        Row(
            "a commitment that was cancelled, its month over since",
            history([committed(after: false)], [monthly(bought(until: -0.2))], asOf: day(-0.5)),
            "comeback",
            .evidenceStale
        ),
        Row(
            "the last month of a commitment is over",
            history([committed(renews: false, after: false)], [monthly(bought(until: -1))]),
            "comeback",
            .lapsed
        ),
        // Family Sharing that ended is no refund.
        Row("Family Sharing ended", history([entry()], [unshared]), "anyone", .familyShared),
        Row("Family Sharing ended, shared ones allowed", history([entry()], [unshared]), "families", .lapsed),
        // Offers of Apple's own count as redemptions of the catalog's.
        Row(
            "redeemed on the page where one cancels",
            history([entry()], [bought(under: .retention("once"))]),
            "once",
            .redemptionLimit
        ),
    ]
}

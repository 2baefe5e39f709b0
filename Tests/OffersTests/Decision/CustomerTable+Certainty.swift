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
private func pair(_ transaction: Transaction, on bought: Double, _ renewal: RenewalInfo, on renewed: Double) -> Shown {
    var history = signed(transaction, renewal, on: bought)
    history.renewed = day(renewed)
    return history
}

extension CustomerTable {
    /// What is known of an end, and what only seems to be: nobody has lapsed by default.
    static let certainty: [Row] = [
        // An end that nobody said.
        Row("no end on the purchase, renewing", [entry()], [bought(until: nil)], .noEvidence),
        Row("no end on the purchase, for the lapsed", [entry()], [bought(until: nil)], .noEvidence, "comeback"),
        Row("no end, but an intent", [entry(ended: true)], [bought(until: nil)], .noEvidence, "comeback"),
        Row("no end, JWS", history: signed(bought(until: nil), entry(renews: false), on: -1), .noEvidence, "comeback"),
        Row("no end, but in grace", [entry(graceUntil: 2)], [bought(until: nil)], .gracePeriod),
        Row(
            "one without an end beside one that lapsed",
            [entry(), entry("2", ended: true)],
            [bought(until: nil), bought("2", until: -5)],
            .noEvidence,
            "comeback"
        ),
        Row(
            "one with no end beside an active one",
            [entry(), entry("2")],
            [bought(until: nil), bought("2")],
            .active
        ),
        Row("a shared one without an end", [entry()], [bought(until: nil, shared: true)], .familyShared),
        // A renewal that nobody saw.
        Row("a pair before its end", history: signed(bought(until: -5), entry(), on: -20), .evidenceStale, "comeback"),
        Row("the same, for whoever it is", history: signed(bought(until: -0.5), entry(), on: -0.9), .active),
        Row("a transaction before its end", history: signed(bought(until: -5), on: -9), .evidenceStale, "comeback"),
        Row("a transaction alone from after its end", history: signed(bought(until: -5), on: -1), .lapsed, "comeback"),
        Row(
            "a pair from before the end, auto-renew off",
            history: signed(bought(until: -0.5), entry(renews: false), on: -0.9),
            .lapsed,
            "comeback"
        ),
        Row(
            "an old transaction with a renewal info from after its end that renews",
            history: pair(bought(until: -5), on: -9, entry(), on: -1),
            .evidenceStale,
            "comeback"
        ),
        Row(
            "an old transaction with a renewal info from after its end, in retry",
            history: pair(bought(until: -0.5), on: -0.9, entry(retrying: true), on: -0.1),
            .billingRetry,
            "stay"
        ),
        Row(
            "an old transaction with a renewal info from after its end, ended",
            history: pair(bought(until: -0.5), on: -0.9, entry(ended: true), on: -0.1),
            .lapsed,
            "comeback"
        ),
        Row(
            "a grace period that is over since",
            history: pair(bought(until: -9), on: -8, entry(graceUntil: -2), on: -8),
            .evidenceStale,
            "comeback"
        ),
        Row(
            "a grace period that is over since, of which Apple had said that it retries",
            history: pair(bought(until: -0.9), on: -0.8, entry(retrying: true, graceUntil: -0.2), on: -0.8),
            .evidenceStale,
            "stay"
        ),
        Row(
            "a grace period that is over since, of one that Apple had said has ended",
            [entry(ended: true, graceUntil: -0.2)],
            [bought(until: -0.9)],
            asOf: day(-0.5),
            .evidenceStale,
            "comeback"
        ),
        Row(
            "a grace period that was over before Apple said that it retries",
            [entry(retrying: true, graceUntil: -0.6)],
            [bought(until: -0.9)],
            asOf: day(-0.5),
            .billingRetry,
            "stay"
        ),
        Row("an answer before the end", [entry()], [bought(until: -0.2)], asOf: day(-0.5), .evidenceStale, "comeback"),
        Row(
            "an answer from before the end, auto-renew off",
            [entry(renews: false)],
            [bought(until: -0.2)],
            asOf: day(-0.5),
            .lapsed,
            "comeback"
        ),
        Row(
            "one that was to renew beside one whose auto-renew is off",
            [entry(), entry("2", renews: false)],
            [bought(until: -0.2), bought("2")],
            asOf: day(-0.5),
            .evidenceStale,
            "stay"
        ),
        // The age of a pair is that of its older half.
        Row("a pair that is a day old to the second", history: signed(bought(), entry(), on: -1), .active),
        Row("a pair that is two days old", history: signed(bought(), entry(), on: -2), .evidenceStale),
        Row("new transaction, old renewal info", history: pair(bought(), on: -0.1, entry(), on: -2), .evidenceStale),
        Row("old transaction, new renewal info", history: pair(bought(), on: -2, entry(), on: -0.1), .evidenceStale),
        Row(
            "all subscription statuses: expiry is judged at Apple's clock",
            [entry()],
            [bought(until: -0.2)],
            asOf: day(-0.5),
            coverage: .newestTransactions,
            .active
        ),
        // Apple's own status.
        Row("status 1, the end a little ago: active", [status(.active)], [bought(until: -0.01)], .active),
        Row("status 2, the end ahead: by both", [status(.expired)], [bought()], .stateNotInAudience, "comeback"),
        Row("status 2, the end ahead, an offer that holds by both", [status(.expired)], [bought()], .lapsed),
        Row("status 2 without an end", [status(.expired)], [bought(until: nil)], .lapsed, "comeback"),
        Row("status 3, the end ahead: by both", [status(.billingRetry)], [bought()], .stateNotInAudience, "stay"),
        Row("status 4 without a date", [status(.gracePeriod)], [bought(until: -1)], .gracePeriod),
        Row("status 5", [status(.revoked)], [bought()], .refunded),
        Row(
            "two entries, of status 5 and of one that is not known",
            [status(.revoked), status(.unknown)],
            [bought()],
            .noEvidence
        ),
        Row("the same, in the other order", [status(.unknown), status(.revoked)], [bought()], .noEvidence),
        Row("status 5, Family Sharing ended", [status(.revoked)], [unshared], .lapsed, "families"),
        Row(
            "status 1 from before the end",
            history: signed(bought(until: -5), status(.active, on: -20), on: -20),
            .evidenceStale,
            "comeback"
        ),
        Row(
            "status 1 from before the end, auto-renew off",
            history: signed(bought(until: -0.2), status(.active, on: -0.5, entry(renews: false)), on: -0.5),
            .lapsed,
            "comeback"
        ),
        Row(
            "status 2 from before an end that has come, auto-renew off",
            history: signed(bought(until: -0.2), status(.expired, on: -0.5, entry(renews: false)), on: -0.5),
            .lapsed,
            "comeback"
        ),
        Row(
            "status 2 from before an end that has come, auto-renew on: by both",
            history: signed(bought(until: -0.2), status(.expired, on: -0.5), on: -0.5),
            .stateNotInAudience,
            "comeback"
        ),
        Row("status 1 from before a refund", [status(.active, on: -3)], [bought(refunded: -2)], .refunded),
        // Commitments.
        Row("a commitment that was cancelled", [committed(after: false)], [monthly()], .activeAutoRenewOff, "stay"),
        Row(
            "a commitment that was cancelled, its month over since",
            [committed(after: false)],
            [monthly(bought(until: -0.2))],
            asOf: day(-0.5),
            .evidenceStale,
            "comeback"
        ),
        Row(
            "the last month of a commitment is over",
            [committed(renews: false, after: false)],
            [monthly(bought(until: -1))],
            .lapsed,
            "comeback"
        ),
        // Family Sharing that ended is no refund.
        Row("Family Sharing ended", [entry()], [unshared], .familyShared),
        Row("Family Sharing ended, shared ones allowed", [entry()], [unshared], .lapsed, "families"),
        // Offers of Apple's own count as redemptions of the catalog's.
        Row("redeemed where one cancels", [entry()], [bought(under: .retention("once"))], .redemptionLimit, "once"),
    ]
}

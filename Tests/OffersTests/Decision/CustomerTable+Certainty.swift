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
        Row("no end on the purchase, renewing", .noEvidence).when([entry()], [bought(until: nil)]),
        Row("no end on the purchase, for the lapsed", .noEvidence, "comeback").when([entry()], [bought(until: nil)]),
        Row("no end, but an intent", .noEvidence, "comeback").when([entry(ended: true)], [bought(until: nil)]),
        Row("no end, JWS", .noEvidence, "comeback").when(signed(bought(until: nil), entry(renews: false), on: -1)),
        Row("no end, but in grace", .gracePeriod).when([entry(graceUntil: 2)], [bought(until: nil)]),
        Row("one without an end beside one that lapsed", .noEvidence, "comeback")
            .when([entry(), entry("2", ended: true)], [bought(until: nil), bought("2", until: -5)]),
        Row("one with no end beside an active one", .active)
            .when([entry(), entry("2")], [bought(until: nil), bought("2")]),
        Row("a shared one without an end", .familyShared).when([entry()], [bought(until: nil, shared: true)]),
        // A renewal that nobody saw.
        Row("a pair before its end", .evidenceStale, "comeback").when(signed(bought(until: -5), entry(), on: -20)),
        Row("the same, for whoever it is", .active).when(signed(bought(until: -0.5), entry(), on: -0.9)),
        Row("a transaction before its end", .evidenceStale, "comeback").when(signed(bought(until: -5), on: -9)),
        Row("a transaction alone from after its end", .lapsed, "comeback").when(signed(bought(until: -5), on: -1)),
        Row("a pair from before the end, auto-renew off", .lapsed, "comeback")
            .when(signed(bought(until: -0.5), entry(renews: false), on: -0.9)),
        Row("an old transaction with a renewal info from after its end that renews", .evidenceStale, "comeback")
            .when(pair(bought(until: -5), on: -9, entry(), on: -1)),
        Row("an old transaction with a renewal info from after its end, in retry", .billingRetry, "stay")
            .when(pair(bought(until: -0.5), on: -0.9, entry(retrying: true), on: -0.1)),
        Row("an old transaction with a renewal info from after its end, ended", .lapsed, "comeback")
            .when(pair(bought(until: -0.5), on: -0.9, entry(ended: true), on: -0.1)),
        Row("a grace period that is over since", .evidenceStale, "comeback")
            .when(pair(bought(until: -9), on: -8, entry(graceUntil: -2), on: -8)),
        Row("a grace period that is over since, of which Apple had said that it retries", .evidenceStale, "stay")
            .when(pair(bought(until: -0.9), on: -0.8, entry(retrying: true, graceUntil: -0.2), on: -0.8)),
        Row("a grace period that is over since, of one that Apple had said has ended", .evidenceStale, "comeback")
            .when([entry(ended: true, graceUntil: -0.2)], [bought(until: -0.9)], asOf: day(-0.5)),
        Row("a grace period that was over before Apple said that it retries", .billingRetry, "stay")
            .when([entry(retrying: true, graceUntil: -0.6)], [bought(until: -0.9)], asOf: day(-0.5)),
        Row("an answer before the end", .evidenceStale, "comeback")
            .when([entry()], [bought(until: -0.2)], asOf: day(-0.5)),
        Row("an answer from before the end, auto-renew off", .lapsed, "comeback")
            .when([entry(renews: false)], [bought(until: -0.2)], asOf: day(-0.5)),
        Row("one that was to renew beside one whose auto-renew is off", .evidenceStale, "stay")
            .when([entry(), entry("2", renews: false)], [bought(until: -0.2), bought("2")], asOf: day(-0.5)),
        // The age of a pair is that of its older half.
        Row("a pair that is a day old to the second", .active).when(signed(bought(), entry(), on: -1)),
        Row("a pair that is two days old", .evidenceStale).when(signed(bought(), entry(), on: -2)),
        Row("new transaction, old renewal info", .evidenceStale).when(pair(bought(), on: -0.1, entry(), on: -2)),
        Row("old transaction, new renewal info", .evidenceStale).when(pair(bought(), on: -2, entry(), on: -0.1)),
        Row("all subscription statuses: expiry is judged at Apple's clock", .active)
            .when([entry()], [bought(until: -0.2)], asOf: day(-0.5), coverage: .newestTransactions),
        // Apple's own status.
        Row("status 1, the end a little ago: active", .active).when([status(.active)], [bought(until: -0.01)]),
        Row("status 2, the end ahead: by both", .stateNotInAudience, "comeback").when([status(.expired)], [bought()]),
        Row("status 2, the end ahead, an offer that holds by both", .lapsed).when([status(.expired)], [bought()]),
        Row("status 2 without an end", .lapsed, "comeback").when([status(.expired)], [bought(until: nil)]),
        Row("status 3, the end ahead: by both", .stateNotInAudience, "stay").when([status(.billingRetry)], [bought()]),
        Row("status 4 without a date", .gracePeriod).when([status(.gracePeriod)], [bought(until: -1)]),
        Row("status 5", .refunded).when([status(.revoked)], [bought()]),
        Row("two entries, of status 5 and of one that is not known", .noEvidence)
            .when([status(.revoked), status(.unknown)], [bought()]),
        Row("the same, in the other order", .noEvidence).when([status(.unknown), status(.revoked)], [bought()]),
        Row("status 5, Family Sharing ended", .lapsed, "families").when([status(.revoked)], [unshared]),
        Row("status 1 from before the end", .evidenceStale, "comeback")
            .when(signed(bought(until: -5), status(.active, on: -20), on: -20)),
        Row("status 1 from before the end, auto-renew off", .lapsed, "comeback")
            .when(signed(bought(until: -0.2), status(.active, on: -0.5, entry(renews: false)), on: -0.5)),
        Row("status 2 from before an end that has come, auto-renew off", .lapsed, "comeback")
            .when(signed(bought(until: -0.2), status(.expired, on: -0.5, entry(renews: false)), on: -0.5)),
        Row("status 2 from before an end that has come, auto-renew on: by both", .stateNotInAudience, "comeback")
            .when(signed(bought(until: -0.2), status(.expired, on: -0.5), on: -0.5)),
        Row("status 1 from before a refund", .refunded).when([status(.active, on: -3)], [bought(refunded: -2)]),
        // Commitments.
        Row("a commitment that was cancelled", .activeAutoRenewOff, "stay")
            .when([committed(after: false)], [monthly()]),
        Row("a commitment that was cancelled, its month over since", .evidenceStale, "comeback")
            .when([committed(after: false)], [monthly(bought(until: -0.2))], asOf: day(-0.5)),
        Row("the last month of a commitment is over", .lapsed, "comeback")
            .when([committed(renews: false, after: false)], [monthly(bought(until: -1))]),
        // Family Sharing that ended is no refund.
        Row("Family Sharing ended", .familyShared).when([entry()], [unshared]),
        Row("Family Sharing ended, shared ones allowed", .lapsed, "families").when([entry()], [unshared]),
        // Offers of Apple's own count as redemptions of the catalog's.
        Row("redeemed where one cancels", .redemptionLimit, "once")
            .when([entry()], [bought(under: .retention("once"))]),
    ]
}

import Offers

/// Lapsed long ago, with the entry that says so.
private let ended = entry("1", ended: true)
private let old = bought("1", on: -90, until: -60)
private let newsEntry = entry("2", "news.monthly")

private func revoked(_ kind: Revocation.Kind, _ owner: Ownership = .purchased, on day: Double = -2) -> Transaction {
    var transaction = bought(refunded: day, owner: owner)
    transaction.revocation = Revocation(kind)
    return transaction
}

private func status(_ code: SubscriptionStatus.Code, on date: Double = 0) -> RenewalInfo {
    var entry = entry()
    entry.status = SubscriptionStatus(code, asOf: day(date))
    return entry
}

// Rows read: who the customer is, what comes out, for which offer, when the evidence shows what.

extension CustomerTable {
    /// Rows of a group of whose original transaction identifier no entry speaks.
    static let rowsWithoutEntry: [Row] = [
        Row("runs beside an entry that lapsed", .stateNotInAudience, "comeback").when([ended], [old, bought("2")]),
        Row("runs: it is active", .active).when([ended], [old, bought("2")]),
        Row("whether it renews is not known", .stateNotInAudience, "stay").when([ended], [old, bought("2")]),
        Row("runs beside an entry that renews", .active, "upgrade", product: "pro.yearly")
            .when([entry("1")], [bought("1"), bought("2")]),
        Row("runs, and the entry of its product ended", .stateNotInAudience, "comeback").when([ended], [bought("2")]),
        Row("the only entry of its product without rows speaks of it", .activeAutoRenewOff, "stay")
            .when([entry("1", renews: false)], [bought("2")]),
        Row("two ids ask for it", .stateNotInAudience, "stay")
            .when([entry("1", renews: false)], [bought("2"), bought("3")]),
        Row("two entries of the product have no rows", .stateNotInAudience, "stay")
            .when([entry("1", renews: false), entry("4", renews: false)], [bought("2")]),
        Row("the entry without rows is of another product", .stateNotInAudience, "stay")
            .when([entry("1", "pro.yearly", renews: false)], [bought("2")]),
        Row("an upgraded row is a row of the entry", .stateNotInAudience, "stay")
            .when([entry("1", renews: false)], [bought("1", upgraded: true), bought("2")]),
        Row("ended before the evidence", .lapsed, "comeback").when(
            [newsEntry, ended],
            [old, bought("3", until: -30)]
        ),
        Row("ended since then", .evidenceStale, "comeback")
            .when([ended], [old, bought("2", until: -0.2)], asOf: day(-0.5)),
        Row("without an end", .noEvidence, "comeback").when([ended], [old, bought("2", until: nil)]),
        Row("refunded beside shared", .refunded)
            .when([entry("1")], [bought("1", shared: true), bought("2", refunded: -2)]),
        Row("upgraded, and nothing after it", .lapsed, "comeback").when([ended], [old, bought("2", upgraded: true)]),
        Row("shared, beside one's own that lapsed", .lapsed, "comeback")
            .when([ended], [old, bought("2", shared: true)]),
        Row("no entry of the group at all", .noPendingRenewalInfo).when([newsEntry], [bought("3")]),
        Row("scope app: an entry of another group", .active, "whole-app").when([newsEntry], [bought("3")]),
        Row("runs in no known group", .groupUnknown, "comeback").when([ended], [old, bought("9", "gone")]),
        Row("ended in no known group", .lapsed, "comeback").when([ended], [old, bought("9", "gone", until: -40)]),
        Row("coins beside a lapsed one", .lapsed, "whole-app-lapsed")
            .when([ended], [old, bought("9", "coins", until: nil)]),
        Row("held state without an entry beside one that lapsed", .stateNotInAudience, "comeback")
            .when([ended], [old, bought("2")], coverage: .newestTransactions),
    ]

    /// Who paid: only what is known to be the customer's own purchase counts.
    static let owners: [Row] = [
        Row("a seat that runs", .assigned).when([entry()], [bought(owner: .assigned)]),
        Row("a seat that ended", .assigned, "comeback").when([ended], [bought(on: -90, until: -60, owner: .assigned)]),
        Row("a seat that was taken away", .assigned, "comeback").when([entry()], [revoked(.assignment, .assigned)]),
        Row("a seat without an end", .assigned).when([entry()], [bought(until: nil, owner: .assigned)]),
        Row("a seat that runs, which the offer allows", .active, "seats").when([entry()], [bought(owner: .assigned)]),
        Row("a running seat is not lapsed", .stateNotInAudience, "seats-lapsed")
            .when([entry()], [bought(owner: .assigned)]),
        Row("families are none of seats", .familyShared, "seats").when([entry()], [bought(shared: true)]),
        Row("seats are none of families", .assigned, "families").when([entry()], [bought(owner: .assigned)]),
        Row("a seat, one's own lapsed", .lapsed, "comeback")
            .when([ended, entry("2")], [old, bought("2", owner: .assigned)]),
        Row("a seat beside a shared one", .assigned)
            .when([entry("1"), entry("2")], [bought("1", shared: true), bought("2", owner: .assigned)]),
        Row("bought before, and a seat since", .assigned, "comeback")
            .when([entry()], [bought(on: -90, until: -60), bought(owner: .assigned)]),
        Row("a seat, then bought", .active).when([entry()], [bought(on: -90, until: -60, owner: .assigned), bought()]),
        Row("an owner that is not known", .noEvidence).when([entry()], [bought(owner: .unknown("GIFTED"))]),
        Row("an owner that is not said", .noEvidence).when([entry()], [bought(owner: .unknown(nil))]),
        Row("an owner that is not known, ended", .noEvidence, "comeback")
            .when([ended], [bought(on: -90, until: -60, owner: .unknown("GIFTED"))]),
        Row("an owner that is not known, running beside one's own", .noEvidence)
            .when([entry("1"), entry("2")], [bought("1"), bought("2", owner: .unknown("GIFTED"))]),
        Row("an owner that is not known, without an end", .noEvidence, "comeback")
            .when([ended, entry("2")], [old, bought("2", until: nil, owner: .unknown(""))]),
        Row("an owner that is not known, ended beside one's own", .lapsed, "comeback")
            .when([ended, entry("2", ended: true)], [old, bought("2", until: -20, owner: .unknown("GIFTED"))]),
        Row("an owner that is not known, newer than one's own purchase of the subscription", .noEvidence, "comeback")
            .when([ended], [old, bought("1", on: -50, until: -20, owner: .unknown("GIFTED"))]),
        Row("an owner that is not known, older than one's own purchase of the subscription", .lapsed, "comeback")
            .when([ended], [bought("1", on: -120, until: -90, owner: .unknown("GIFTED")), old]),
        Row("an offer was redeemed by a seat", .active, "once")
            .when([entry()], [bought(on: -90, until: -60, owner: .assigned, under: .promotional("once")), bought()]),
    ]

    /// Where two things that Apple said contradict each other, an offer has to hold by both.
    static let contradictions: [Row] = [
        Row("revoked for an unknown reason", .noEvidence).when([entry()], [revoked(.unknown("BUNDLED"))]),
        Row("revoked for an unknown reason, refunds forgiven", .noEvidence, "forgive-lapsed")
            .when([entry()], [revoked(.unknown("BUNDLED"))]),
        Row("revoked for an unknown reason, beside one that lapsed", .noEvidence, "comeback")
            .when([entry(), entry("2", ended: true)], [revoked(.unknown("BUNDLED")), bought("2", until: -40)]),
        Row("revoked for an unknown reason, beside one that is active", .active)
            .when([entry(), entry("2")], [revoked(.unknown("BUNDLED")), bought("2")]),
        Row("a seat taken away is no refund", .lapsed, "seats").when([entry()], [revoked(.assignment, .assigned)]),
        Row("refunded, and status 1 beside it", .refunded).when([status(.active)], [bought(refunded: -2)]),
        Row("refunded and forgiven, and status 1 beside it", .stateNotInAudience, "forgive-lapsed")
            .when([status(.active)], [bought(refunded: -2)]),
        Row("refunded and forgiven, and status 1 beside it, for anybody", .lapsed, "forgive")
            .when([status(.active)], [bought(refunded: -2)]),
        Row("sharing ended, and status 1 beside it", .stateNotInAudience, "families-lapsed")
            .when([status(.active)], [revoked(.family, .familyShared)]),
        Row("refunded, and status 2 beside it", .refunded, "comeback")
            .when([status(.expired)], [bought(on: -60, until: -30, refunded: -40)]),
        Row("status 5, and paid time that runs, refunds forgiven", .stateNotInAudience, "forgive-lapsed")
            .when([status(.revoked)], [bought()]),
        Row("a status that is not known", .noEvidence).when([status(.unknown)], [bought()]),
        Row("a contradiction beside one that lapsed", .refunded, "comeback")
            .when([status(.active), entry("2", ended: true)], [bought(refunded: -2), bought("2", until: -40)]),
    ]
}

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

// Rows read: who the customer is, what the evidence shows, which offer, what comes out.

extension CustomerTable {
    /// Rows of a group of whose original transaction identifier no entry speaks.
    static let rowsWithoutEntry: [Row] = [
        Row("runs beside an entry that lapsed", history([ended], [old, bought("2")]), "comeback", .stateNotInAudience),
        Row("runs: it is active", history([ended], [old, bought("2")]), "anyone", .active),
        Row("whether it renews is not known", history([ended], [old, bought("2")]), "stay", .stateNotInAudience),
        Row(
            "whether it renews is not known, for those who do",
            history([ended], [old, bought("2")]),
            "upgrade",
            .stateNotInAudience,
            product: "pro.yearly"
        ),
        Row(
            "runs as a trial",
            history([ended], [old, bought("2", under: .introductory)]),
            "comeback",
            .stateNotInAudience
        ),
        Row(
            "runs beside an entry in retry",
            history([entry("1", retrying: true)], [bought("1", until: -5), bought("2")]),
            "stay",
            .stateNotInAudience
        ),
        Row(
            "runs beside an entry that renews",
            history([entry("1")], [bought("1"), bought("2")]),
            "upgrade",
            .active,
            product: "pro.yearly"
        ),
        Row(
            "runs, and the entry of its product ended",
            history([ended], [bought("2")]),
            "comeback",
            .stateNotInAudience
        ),
        Row(
            "the only entry of its product without rows speaks of it",
            history([entry("1", renews: false)], [bought("2")]),
            "stay",
            .activeAutoRenewOff
        ),
        Row(
            "two identifiers ask for the entry",
            history([entry("1", renews: false)], [bought("2"), bought("3")]),
            "stay",
            .stateNotInAudience
        ),
        Row(
            "two entries of the product have no rows",
            history([entry("1", renews: false), entry("4", renews: false)], [bought("2")]),
            "stay",
            .stateNotInAudience
        ),
        Row(
            "the entry without rows is of another product",
            history([entry("1", "pro.yearly", renews: false)], [bought("2")]),
            "stay",
            .stateNotInAudience
        ),
        Row(
            "an upgraded row is a row of the entry",
            history([entry("1", renews: false)], [bought("1", upgraded: true), bought("2")]),
            "stay",
            .stateNotInAudience
        ),
        Row(
            "ended before the evidence",
            history([newsEntry, ended], [old, bought("3", until: -30)]),
            "comeback",
            .lapsed
        ),
        Row(
            "ended since the evidence",
            history([ended], [old, bought("2", until: -0.2)], asOf: day(-0.5)),
            "comeback",
            .evidenceStale
        ),
        Row("without an end", history([ended], [old, bought("2", until: nil)]), "comeback", .noEvidence),
        Row(
            "refunded, beside one that is shared",
            history([entry("1")], [bought("1", shared: true), bought("2", refunded: -2)]),
            "anyone",
            .refunded
        ),
        Row(
            "upgraded, and nothing after it",
            history([ended], [old, bought("2", upgraded: true)]),
            "comeback",
            .lapsed
        ),
        Row(
            "shared, beside one's own that lapsed",
            history([ended], [old, bought("2", shared: true)]),
            "comeback",
            .lapsed
        ),
        Row("no entry of the group at all", history([newsEntry], [bought("3")]), "anyone", .noPendingRenewalInfo),
        Row("scope app: an entry of another group", history([newsEntry], [bought("3")]), "whole-app", .active),
        Row(
            "scope app: runs in another group",
            history([ended], [old, bought("2", "news.monthly")]),
            "whole-app-lapsed",
            .stateNotInAudience
        ),
        Row("runs in no known group", history([ended], [old, bought("9", "gone")]), "comeback", .groupUnknown),
        Row(
            "runs in no known group, with an entry",
            history([ended, entry("9", "gone")], [old, bought("9", "gone")]),
            "comeback",
            .groupUnknown
        ),
        Row("ended in no known group", history([ended], [old, bought("9", "gone", until: -40)]), "comeback", .lapsed),
        Row(
            "a consumable beside one that lapsed",
            history([ended], [old, bought("9", "coins", until: nil)]),
            "whole-app-lapsed",
            .lapsed
        ),
        Row(
            "held state without an entry beside one that lapsed",
            history([ended], [old, bought("2")], coverage: .newestTransactions),
            "comeback",
            .stateNotInAudience
        ),
    ]

    /// Who paid: only what is known to be the customer's own purchase counts.
    static let owners: [Row] = [
        Row("a seat that runs", history([entry()], [bought(owner: .assigned)]), "anyone", .assigned),
        Row(
            "a seat that ended",
            history([ended], [bought(on: -90, until: -60, owner: .assigned)]),
            "comeback",
            .assigned
        ),
        Row("a seat that was taken away", history([entry()], [revoked(.assignment, .assigned)]), "comeback", .assigned),
        Row("a seat without an end", history([entry()], [bought(until: nil, owner: .assigned)]), "anyone", .assigned),
        Row(
            "a seat that runs, which the offer allows",
            history([entry()], [bought(owner: .assigned)]),
            "seats",
            .active
        ),
        Row(
            "a seat that was taken away, which the offer allows",
            history([entry()], [revoked(.assignment, .assigned)]),
            "seats-lapsed",
            .lapsed
        ),
        Row(
            "a seat that runs is not for the lapsed",
            history([entry()], [bought(owner: .assigned)]),
            "seats-lapsed",
            .stateNotInAudience
        ),
        Row("families are none of seats", history([entry()], [bought(shared: true)]), "seats", .familyShared),
        Row("seats are none of families", history([entry()], [bought(owner: .assigned)]), "families", .assigned),
        Row(
            "a seat beside one's own that lapsed",
            history([ended, entry("2")], [old, bought("2", owner: .assigned)]),
            "comeback",
            .lapsed
        ),
        Row(
            "a seat beside a shared one",
            history([entry("1"), entry("2")], [bought("1", shared: true), bought("2", owner: .assigned)]),
            "anyone",
            .assigned
        ),
        Row(
            "bought before, and a seat since",
            history([entry()], [bought(on: -90, until: -60), bought(owner: .assigned)]),
            "comeback",
            .assigned
        ),
        Row(
            "a seat before, and bought since",
            history([entry()], [bought(on: -90, until: -60, owner: .assigned), bought()]),
            "anyone",
            .active
        ),
        Row(
            "an owner that is not known",
            history([entry()], [bought(owner: .unknown("GIFTED"))]),
            "anyone",
            .noEvidence
        ),
        Row("an owner that is not said", history([entry()], [bought(owner: .unknown(nil))]), "anyone", .noEvidence),
        Row(
            "an owner that is not known, ended",
            history([ended], [bought(on: -90, until: -60, owner: .unknown("GIFTED"))]),
            "comeback",
            .noEvidence
        ),
        Row(
            "an owner that is not known, running beside one's own",
            history([entry("1"), entry("2")], [bought("1"), bought("2", owner: .unknown("GIFTED"))]),
            "anyone",
            .noEvidence
        ),
        Row(
            "an owner that is not known, without an end",
            history([ended, entry("2")], [old, bought("2", until: nil, owner: .unknown(""))]),
            "comeback",
            .noEvidence
        ),
        Row(
            "an owner that is not known, ended beside one's own",
            history([ended, entry("2", ended: true)], [old, bought("2", until: -20, owner: .unknown("GIFTED"))]),
            "comeback",
            .lapsed
        ),
        Row(
            "an owner that is not known, newer than one's own purchase of the subscription",
            history([ended], [old, bought("1", on: -50, until: -20, owner: .unknown("GIFTED"))]),
            "comeback",
            .noEvidence
        ),
        Row(
            "an owner that is not known, older than one's own purchase of the subscription",
            history([ended], [bought("1", on: -120, until: -90, owner: .unknown("GIFTED")), old]),
            "comeback",
            .lapsed
        ),
        Row(
            "an offer was redeemed by a seat",
            history(
                [entry()],
                [bought(on: -90, until: -60, owner: .assigned, under: .promotional("once")), bought()]
            ),
            "once",
            .active
        ),
    ]

    /// Where two things that Apple said contradict each other, an offer has to hold by both.
    static let contradictions: [Row] = [
        Row("revoked for an unknown reason", history([entry()], [revoked(.unknown("BUNDLED"))]), "anyone", .noEvidence),
        Row(
            "revoked for an unknown reason, refunds forgiven",
            history([entry()], [revoked(.unknown("BUNDLED"))]),
            "forgive-lapsed",
            .noEvidence
        ),
        Row(
            "revoked for an unknown reason, beside one that lapsed",
            history([entry(), entry("2", ended: true)], [revoked(.unknown("BUNDLED")), bought("2", until: -40)]),
            "comeback",
            .noEvidence
        ),
        Row(
            "revoked for an unknown reason, beside one that is active",
            history([entry(), entry("2")], [revoked(.unknown("BUNDLED")), bought("2")]),
            "anyone",
            .active
        ),
        Row("a seat taken away is no refund", history([entry()], [revoked(.assignment, .assigned)]), "seats", .lapsed),
        Row(
            "refunded, and status 1 beside it",
            history([status(.active)], [bought(refunded: -2)]),
            "anyone",
            .refunded
        ),
        Row(
            "refunded and forgiven, and status 1 beside it",
            history([status(.active)], [bought(refunded: -2)]),
            "forgive-lapsed",
            .stateNotInAudience
        ),
        Row(
            "refunded and forgiven, and status 1 beside it, for anybody",
            history([status(.active)], [bought(refunded: -2)]),
            "forgive",
            .lapsed
        ),
        Row(
            "sharing ended, and status 1 beside it",
            history([status(.active)], [revoked(.family, .familyShared)]),
            "families-lapsed",
            .stateNotInAudience
        ),
        Row(
            "refunded, and status 2 beside it",
            history([status(.expired)], [bought(on: -60, until: -30, refunded: -40)]),
            "comeback",
            .refunded
        ),
        Row("status 5, and paid time that runs", history([status(.revoked)], [bought()]), "anyone", .refunded),
        Row(
            "status 5, and paid time that runs, refunds forgiven",
            history([status(.revoked)], [bought()]),
            "forgive-lapsed",
            .stateNotInAudience
        ),
        Row("a status that is not known", history([status(.unknown)], [bought()]), "anyone", .noEvidence),
        Row(
            "a contradiction beside one that lapsed",
            history([status(.active), entry("2", ended: true)], [bought(refunded: -2), bought("2", until: -40)]),
            "comeback",
            .refunded
        ),
    ]
}

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
        Row("runs beside an entry that lapsed", [ended], [old, bought("2")], .stateNotInAudience, "comeback"),
        Row("runs: it is active", [ended], [old, bought("2")], .active),
        Row("whether it renews is not known", [ended], [old, bought("2")], .stateNotInAudience, "stay"),
        Row(
            "runs beside an entry that renews",
            [entry("1")],
            [bought("1"), bought("2")],
            .active,
            "upgrade",
            product: "pro.yearly"
        ),
        Row("runs, and the entry of its product ended", [ended], [bought("2")], .stateNotInAudience, "comeback"),
        Row(
            "the only entry of its product without rows speaks of it",
            [entry("1", renews: false)],
            [bought("2")],
            .activeAutoRenewOff,
            "stay"
        ),
        Row(
            "two ids ask for it",
            [entry("1", renews: false)],
            [bought("2"), bought("3")],
            .stateNotInAudience,
            "stay"
        ),
        Row(
            "two entries of the product have no rows",
            [entry("1", renews: false), entry("4", renews: false)],
            [bought("2")],
            .stateNotInAudience,
            "stay"
        ),
        Row(
            "the entry without rows is of another product",
            [entry("1", "pro.yearly", renews: false)],
            [bought("2")],
            .stateNotInAudience,
            "stay"
        ),
        Row(
            "an upgraded row is a row of the entry",
            [entry("1", renews: false)],
            [bought("1", upgraded: true), bought("2")],
            .stateNotInAudience,
            "stay"
        ),
        Row("ended before the evidence", [newsEntry, ended], [old, bought("3", until: -30)], .lapsed, "comeback"),
        Row("ended since then", [ended], [old, bought("2", until: -0.2)], asOf: day(-0.5), .evidenceStale, "comeback"),
        Row("without an end", [ended], [old, bought("2", until: nil)], .noEvidence, "comeback"),
        Row("refunded beside shared", [entry("1")], [bought("1", shared: true), bought("2", refunded: -2)], .refunded),
        Row("upgraded, and nothing after it", [ended], [old, bought("2", upgraded: true)], .lapsed, "comeback"),
        Row("shared, beside one's own that lapsed", [ended], [old, bought("2", shared: true)], .lapsed, "comeback"),
        Row("no entry of the group at all", [newsEntry], [bought("3")], .noPendingRenewalInfo),
        Row("scope app: an entry of another group", [newsEntry], [bought("3")], .active, "whole-app"),
        Row("runs in no known group", [ended], [old, bought("9", "gone")], .groupUnknown, "comeback"),
        Row("ended in no known group", [ended], [old, bought("9", "gone", until: -40)], .lapsed, "comeback"),
        Row(
            "coins beside a lapsed one",
            [ended],
            [old, bought("9", "coins", until: nil)],
            .lapsed,
            "whole-app-lapsed"
        ),
        Row(
            "held state without an entry beside one that lapsed",
            [ended],
            [old, bought("2")],
            coverage: .newestTransactions,
            .stateNotInAudience,
            "comeback"
        ),
    ]

    /// Who paid: only what is known to be the customer's own purchase counts.
    static let owners: [Row] = [
        Row("a seat that runs", [entry()], [bought(owner: .assigned)], .assigned),
        Row("a seat that ended", [ended], [bought(on: -90, until: -60, owner: .assigned)], .assigned, "comeback"),
        Row("a seat that was taken away", [entry()], [revoked(.assignment, .assigned)], .assigned, "comeback"),
        Row("a seat without an end", [entry()], [bought(until: nil, owner: .assigned)], .assigned),
        Row("a seat that runs, which the offer allows", [entry()], [bought(owner: .assigned)], .active, "seats"),
        Row("a running seat is not lapsed", [entry()], [bought(owner: .assigned)], .stateNotInAudience, "seats-lapsed"),
        Row("families are none of seats", [entry()], [bought(shared: true)], .familyShared, "seats"),
        Row("seats are none of families", [entry()], [bought(owner: .assigned)], .assigned, "families"),
        Row(
            "a seat, one's own lapsed",
            [ended, entry("2")],
            [old, bought("2", owner: .assigned)],
            .lapsed,
            "comeback"
        ),
        Row(
            "a seat beside a shared one",
            [entry("1"), entry("2")],
            [bought("1", shared: true), bought("2", owner: .assigned)],
            .assigned
        ),
        Row(
            "bought before, and a seat since",
            [entry()],
            [bought(on: -90, until: -60), bought(owner: .assigned)],
            .assigned,
            "comeback"
        ),
        Row("a seat, then bought", [entry()], [bought(on: -90, until: -60, owner: .assigned), bought()], .active),
        Row("an owner that is not known", [entry()], [bought(owner: .unknown("GIFTED"))], .noEvidence),
        Row("an owner that is not said", [entry()], [bought(owner: .unknown(nil))], .noEvidence),
        Row(
            "an owner that is not known, ended",
            [ended],
            [bought(on: -90, until: -60, owner: .unknown("GIFTED"))],
            .noEvidence,
            "comeback"
        ),
        Row(
            "an owner that is not known, running beside one's own",
            [entry("1"), entry("2")],
            [bought("1"), bought("2", owner: .unknown("GIFTED"))],
            .noEvidence
        ),
        Row(
            "an owner that is not known, without an end",
            [ended, entry("2")],
            [old, bought("2", until: nil, owner: .unknown(""))],
            .noEvidence,
            "comeback"
        ),
        Row(
            "an owner that is not known, ended beside one's own",
            [ended, entry("2", ended: true)],
            [old, bought("2", until: -20, owner: .unknown("GIFTED"))],
            .lapsed,
            "comeback"
        ),
        Row(
            "an owner that is not known, newer than one's own purchase of the subscription",
            [ended],
            [old, bought("1", on: -50, until: -20, owner: .unknown("GIFTED"))],
            .noEvidence,
            "comeback"
        ),
        Row(
            "an owner that is not known, older than one's own purchase of the subscription",
            [ended],
            [bought("1", on: -120, until: -90, owner: .unknown("GIFTED")), old],
            .lapsed,
            "comeback"
        ),
        Row(
            "an offer was redeemed by a seat",
            [entry()],
            [bought(on: -90, until: -60, owner: .assigned, under: .promotional("once")), bought()],
            .active,
            "once"
        ),
    ]

    /// Where two things that Apple said contradict each other, an offer has to hold by both.
    static let contradictions: [Row] = [
        Row("revoked for an unknown reason", [entry()], [revoked(.unknown("BUNDLED"))], .noEvidence),
        Row(
            "revoked for an unknown reason, refunds forgiven",
            [entry()],
            [revoked(.unknown("BUNDLED"))],
            .noEvidence,
            "forgive-lapsed"
        ),
        Row(
            "revoked for an unknown reason, beside one that lapsed",
            [entry(), entry("2", ended: true)],
            [revoked(.unknown("BUNDLED")), bought("2", until: -40)],
            .noEvidence,
            "comeback"
        ),
        Row(
            "revoked for an unknown reason, beside one that is active",
            [entry(), entry("2")],
            [revoked(.unknown("BUNDLED")), bought("2")],
            .active
        ),
        Row("a seat taken away is no refund", [entry()], [revoked(.assignment, .assigned)], .lapsed, "seats"),
        Row("refunded, and status 1 beside it", [status(.active)], [bought(refunded: -2)], .refunded),
        Row(
            "refunded and forgiven, and status 1 beside it",
            [status(.active)],
            [bought(refunded: -2)],
            .stateNotInAudience,
            "forgive-lapsed"
        ),
        Row(
            "refunded and forgiven, and status 1 beside it, for anybody",
            [status(.active)],
            [bought(refunded: -2)],
            .lapsed,
            "forgive"
        ),
        Row(
            "sharing ended, and status 1 beside it",
            [status(.active)],
            [revoked(.family, .familyShared)],
            .stateNotInAudience,
            "families-lapsed"
        ),
        Row(
            "refunded, and status 2 beside it",
            [status(.expired)],
            [bought(on: -60, until: -30, refunded: -40)],
            .refunded,
            "comeback"
        ),
        Row(
            "status 5, and paid time that runs, refunds forgiven",
            [status(.revoked)],
            [bought()],
            .stateNotInAudience,
            "forgive-lapsed"
        ),
        Row("a status that is not known", [status(.unknown)], [bought()], .noEvidence),
        Row(
            "a contradiction beside one that lapsed",
            [status(.active), entry("2", ended: true)],
            [bought(refunded: -2), bought("2", until: -40)],
            .refunded,
            "comeback"
        ),
    ]
}

import Offers

private let alice = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
private let bob = "0b5a2f6e-0000-4000-8000-000000000001"
private func token(_ text: String) -> Account { AppAccountToken(text).map(Account.appAccountToken) ?? .none }
private let payAsYouGo = [twice(-100, -70), twice(-70, -40), twice(-40, -10)]

/// A purchase under the offer that may be redeemed twice, from one day until another.
private func twice(
    _ purchase: Double,
    _ expiry: Double,
    refunded: Double? = nil,
    because reason: TransactionReason? = nil
) -> Transaction {
    bought(on: purchase, until: expiry, refunded: refunded, under: .promotional("twice"), because: reason)
}

extension CustomerTable {
    static let offers: [Row] = [
        Row("no such product", .offerNotInCatalog, product: "pro.weekly").when([entry()], [bought()]),
        Row("no such offer", .offerNotInCatalog, "nope").when([entry()], [bought()]),
        Row("an offer of another product", .offerNotInCatalog, "upgrade").when([entry()], [bought()]),
        Row("another case of the identifier", .offerNotInCatalog, "Anyone").when([entry()], [bought()]),
        Row("for lapsed, and lapsed", .lapsed, "comeback").when([entry(ended: true)], [bought(until: -1)]),
        Row("for lapsed, but active", .stateNotInAudience, "comeback").when([entry()], [bought()]),
        Row("to stay, about to leave", .activeAutoRenewOff, "stay").when([entry(renews: false)], [bought()]),
        Row("to stay, but renewing", .stateNotInAudience, "stay").when([entry()], [bought()]),
        Row("upgrade from the month", .active, "upgrade", product: "pro.yearly").when([entry()], [bought()]),
        Row("starts tomorrow", .offerNotStarted, "soon").when([entry()], [bought()]),
        Row("starts this moment", .active, "from-now").when([entry()], [bought()]),
        Row("ended yesterday", .offerEnded, "gone").when([entry()], [bought()]),
        Row("ends this moment", .offerEnded, "until-now").when([entry()], [bought()]),
        Row("in its week", .active, "this-week").when([entry()], [bought()]),
        Row("once, never redeemed", .active, "once").when([entry()], [bought()]),
        Row("once, redeemed", .redemptionLimit, "once").when([entry()], [bought(under: .promotional("once"))]),
        Row("once, another redeemed", .active, "once").when([entry()], [bought(under: .promotional("twice"))]),
        Row("a code of that name is no redemption", .active, "once")
            .when([entry()], [bought(under: .offerCode("once"))]),
        Row("twice, three renewals of one redemption", .active, "twice").when([entry()], payAsYouGo + [bought()]),
        Row("twice, two free periods under it, one after the other", .redemptionLimit, "twice")
            .when(
                [entry()],
                [free(true, twice(-60, -30)), free(true, twice(-30, 0, because: .renewal)), bought(on: 0, until: 30)]
            ),
        Row("twice, two periods under it in a row, paid up front by a copy of one", .redemptionLimit, "twice")
            .when(
                [entry()],
                [
                    paidUpFront(twice(-60, -30)), twice(-30, 0, because: .renewal),
                    paidUpFront(twice(-30, 0, because: .renewal)), bought(on: 0, until: 30),
                ]
            ),
        Row("twice, redeemed twice", .redemptionLimit, "twice")
            .when([entry()], [twice(-90, -60), bought(on: -60, until: -30), twice(-30, 0), bought(on: 0, until: 30)]),
        Row("twice, bought again under it after a lapse", .redemptionLimit, "twice")
            .when([entry(renews: false, ended: true)], [twice(-180, -150), twice(-140, -110)]),
        Row("twice, renewed under it a day late", .active, "twice")
            .when([entry()], [twice(-61, -31), twice(-30, 0), bought(on: 0, until: 30)]),
        Row("twice, bought again under it in the sandbox's minutes", .redemptionLimit, "twice")
            .when([entry()], [twice(-0.02, -0.0165), twice(-0.014, -0.0105), bought(on: -0.0105, until: 1)]),
        Row("twice, bought again under it while it ran, as Apple says", .redemptionLimit, "twice")
            .when(
                [entry()],
                [
                    twice(-60, -30, because: .purchase), twice(-30, 0, because: .purchase),
                    bought(on: 0, until: 30, because: .renewal),
                ]
            ),
        Row("twice, renewed under it after weeks of billing retry, as Apple says", .active, "twice")
            .when(
                [entry()],
                [
                    twice(-90, -60, because: .purchase), twice(-30, 0, because: .renewal),
                    bought(on: 0, until: 30, because: .renewal),
                ]
            ),
        Row("twice, one transaction listed twice", .active, "twice")
            .when(
                [entry()],
                [
                    bought(on: -30, until: 0, under: .promotional("twice"), called: "9", because: .purchase),
                    bought(on: -30, until: 0, under: .promotional("twice"), called: "9", because: .purchase),
                    bought(on: 0, until: 30),
                ]
            ),
        Row("redeemed on two subscriptions", .redemptionLimit, "twice")
            .when(
                [entry("1"), entry("2")],
                [
                    bought("1", on: -90, until: -60, under: .promotional("twice")),
                    bought("2", on: -30, until: 0, under: .promotional("twice")),
                ]
            ),
        Row("once, for the next renewal already", .redemptionLimit, "once")
            .when([entry(nextOffer: "once")], [bought()]),
        Row("twice, running on into the next renewal", .active, "twice")
            .when([entry(nextOffer: "twice")], [bought(under: .promotional("twice"))]),
        Row("refunded redemption counts", .redemptionLimit, "once")
            .when([entry()], [bought(on: -60, until: -30, refunded: -50, under: .promotional("once")), bought()]),
        Row("twice, bought again under it after a refund of the year that was paid", .redemptionLimit, "twice")
            .when([entry()], [twice(-20, 345, refunded: -15), twice(-4, 26)]),
        Row("twice, bought again under it between a refund and the end of the time refunded", .redemptionLimit, "twice")
            .when([entry()], [twice(-40, -10, refunded: -12), twice(-9, 21)]),
        Row("twice, a month refunded after the next one had begun", .active, "twice")
            .when([entry()], [twice(-40, -10, refunded: -3), twice(-10, 20)]),
        Row("a family member's redemption does not", .active, "once")
            .when([entry()], [bought(on: -60, until: -30, shared: true, under: .promotional("once")), bought()]),
    ]

    static let evidence: [Row] = [
        Row("no evidence", .noEvidence).when(nil),
        Row("no evidence, but no such offer", .offerNotInCatalog, "nope").when(nil),
        Row("no evidence, but the offer ended", .offerEnded, "gone").when(nil),
        Row("no list of entries, no receipt", .noEvidence).when(history(nil)),
        Row("another app", .bundleMismatch).when([entry()], [bought()], of: "com.example.other"),
        Row("the app in capitals is another", .bundleMismatch).when([entry()], [bought()], of: "com.example.Reader"),
        Row("no app named", .noEvidence).when([entry()], [bought()], of: nil),
        Row("sandbox, production only", .environmentNotAllowed).when([entry()], [bought()], from: .sandbox),
        Row("environment unknown", .environmentNotAllowed).when([entry()], [bought()], from: nil),
        Row("another app, in the sandbox", .bundleMismatch).when([], [], of: "x", from: .sandbox),
        Row("two days old", .evidenceStale).when([entry()], [bought()], asOf: day(-2)),
        Row("a day old to the second", .active).when([entry()], [bought()], asOf: day(-1)),
        Row("no date", .evidenceStale).when([entry()], [bought()], asOf: nil),
        Row("old, and nothing bought", .evidenceStale).when([], [], asOf: day(-2)),
        Row("old, and of another app", .bundleMismatch).when([], [], of: "x", asOf: day(-2)),
        Row("old, and the offer has ended", .offerEnded, "gone").when([entry()], [], asOf: day(-2)),
        Row("expiry is judged at Apple's clock", .active).when([entry()], [bought(until: -0.2)], asOf: day(-0.5)),
        Row("own account", .active, account: token(alice)).when([entry()], [bought(by: alice)]),
        Row("own account in capitals", .active, account: token(alice.uppercased()))
            .when([entry()], [bought(by: alice)]),
        Row("another's account", .accountMismatch, account: token(bob)).when([entry()], [bought(by: alice)]),
        Row("no account asked, one in the evidence", .accountMismatch).when([entry()], [bought(by: alice)]),
        Row("as username", .active, account: .applicationUsername(alice.uppercased()))
            .when([entry()], [bought(by: alice)]),
        Row("a plain name", .accountMismatch, account: .applicationUsername("alice"))
            .when([entry()], [bought(by: alice)]),
        Row("account asked, none in the evidence", .active, account: token(bob)).when([entry()], [bought()]),
        Row("bought for two accounts of one person", .active, account: token(bob))
            .when([entry()], [bought(on: -90, until: -60, by: bob), bought(by: alice)]),
        Row("another group's account is no proof for this one", .accountMismatch, account: token(bob))
            .when(
                [entry("1"), entry("2", "news.monthly")],
                [bought("1", by: alice), bought("2", "news.monthly", by: bob)]
            ),
        Row("evidence of another account altogether", .accountMismatch, account: token(bob))
            .when([entry("1")], [bought("1"), bought("2", "news.monthly", by: alice)]),
    ]
}

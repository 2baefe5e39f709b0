import Offers

private let alice = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
private let bob = "0b5a2f6e-0000-4000-8000-000000000001"
private func token(_ text: String) -> Account { AppAccountToken(text).map(Account.appAccountToken) ?? .none }
private let payAsYouGo = [
    bought(on: -100, until: -70, under: .promotional("once")),
    bought(on: -70, until: -40, under: .promotional("once")),
    bought(on: -40, until: -10, under: .promotional("once")),
]

extension CustomerTable {
    static let offers: [Row] = [
        Row("no such product", history([entry()], [bought()]), "anyone", .offerNotInCatalog, product: "pro.weekly"),
        Row("no such offer", history([entry()], [bought()]), "nope", .offerNotInCatalog),
        Row("an offer of another product", history([entry()], [bought()]), "upgrade", .offerNotInCatalog),
        Row("another case of the identifier", history([entry()], [bought()]), "Anyone", .offerNotInCatalog),
        Row("for lapsed, and lapsed", history([entry(ended: true)], [bought(until: -1)]), "comeback", .lapsed),
        Row("for lapsed, but active", history([entry()], [bought()]), "comeback", .stateNotInAudience),
        Row("to stay, about to leave", history([entry(renews: false)], [bought()]), "stay", .activeAutoRenewOff),
        Row("to stay, but renewing", history([entry()], [bought()]), "stay", .stateNotInAudience),
        Row("upgrade from the month", history([entry()], [bought()]), "upgrade", .active, product: "pro.yearly"),
        Row("starts tomorrow", history([entry()], [bought()]), "soon", .offerNotStarted),
        Row("starts this moment", history([entry()], [bought()]), "from-now", .active),
        Row("ended yesterday", history([entry()], [bought()]), "gone", .offerEnded),
        Row("ends this moment", history([entry()], [bought()]), "until-now", .offerEnded),
        Row("in its week", history([entry()], [bought()]), "this-week", .active),
        Row("once, never redeemed", history([entry()], [bought()]), "once", .active),
        Row("once, redeemed", history([entry()], [bought(under: .promotional("once"))]), "once", .redemptionLimit),
        Row("once, another redeemed", history([entry()], [bought(under: .promotional("twice"))]), "once", .active),
        Row(
            "a code of that name is no redemption",
            history([entry()], [bought(under: .offerCode("once"))]),
            "once",
            .active
        ),
        Row(
            "twice, three renewals of one redemption",
            history(
                [entry()],
                payAsYouGo.map { renewal in
                    var renewal = renewal
                    renewal.offer = .promotional("twice")
                    return renewal
                } + [bought()]
            ),
            "twice",
            .active
        ),
        Row(
            "twice, redeemed twice",
            history(
                [entry()],
                [
                    bought(on: -90, until: -60, under: .promotional("twice")),
                    bought(on: -60, until: -30),
                    bought(on: -30, until: 0, under: .promotional("twice")),
                    bought(on: 0, until: 30),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "twice, bought again under it after a lapse",
            history(
                [entry(renews: false, ended: true)],
                [
                    bought(on: -180, until: -150, under: .promotional("twice")),
                    bought(on: -140, until: -110, under: .promotional("twice")),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "twice, renewed under it a day late",
            history(
                [entry()],
                [
                    bought(on: -61, until: -31, under: .promotional("twice")),
                    bought(on: -30, until: 0, under: .promotional("twice")),
                    bought(on: 0, until: 30),
                ]
            ),
            "twice",
            .active
        ),
        Row(
            "twice, bought again under it in the sandbox's minutes",
            history(
                [entry()],
                [
                    bought(on: -0.02, until: -0.0165, under: .promotional("twice")),
                    bought(on: -0.014, until: -0.0105, under: .promotional("twice")),
                    bought(on: -0.0105, until: 1),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "twice, bought again under it while it ran, as Apple says",
            history(
                [entry()],
                [
                    bought(on: -60, until: -30, under: .promotional("twice"), because: .purchase),
                    bought(on: -30, until: 0, under: .promotional("twice"), because: .purchase),
                    bought(on: 0, until: 30, because: .renewal),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "twice, renewed under it after weeks of billing retry, as Apple says",
            history(
                [entry()],
                [
                    bought(on: -90, until: -60, under: .promotional("twice"), because: .purchase),
                    bought(on: -30, until: 0, under: .promotional("twice"), because: .renewal),
                    bought(on: 0, until: 30, because: .renewal),
                ]
            ),
            "twice",
            .active
        ),
        Row(
            "twice, one transaction listed twice",
            history(
                [entry()],
                [
                    bought(on: -30, until: 0, under: .promotional("twice"), called: "9", because: .purchase),
                    bought(on: -30, until: 0, under: .promotional("twice"), called: "9", because: .purchase),
                    bought(on: 0, until: 30),
                ]
            ),
            "twice",
            .active
        ),
        Row(
            "redeemed on two subscriptions",
            history(
                [entry("1"), entry("2")],
                [
                    bought("1", on: -90, until: -60, under: .promotional("twice")),
                    bought("2", on: -30, until: 0, under: .promotional("twice")),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "once, for the next renewal already",
            history([entry(nextOffer: "once")], [bought()]),
            "once",
            .redemptionLimit
        ),
        Row(
            "twice, running on into the next renewal",
            history(
                [entry(nextOffer: "twice")],
                [bought(under: .promotional("twice"))]
            ),
            "twice",
            .active
        ),
        Row(
            "refunded redemption counts",
            history(
                [entry()],
                [bought(on: -60, until: -30, refunded: -50, under: .promotional("once")), bought()]
            ),
            "once",
            .redemptionLimit
        ),
        Row(
            "twice, bought again under it after a refund of the year that was paid",
            history(
                [entry()],
                [
                    bought(on: -20, until: 345, refunded: -15, under: .promotional("twice")),
                    bought(on: -4, until: 26, under: .promotional("twice")),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "twice, bought again under it between a refund and the day on which the time would have ended",
            history(
                [entry()],
                [
                    bought(on: -40, until: -10, refunded: -12, under: .promotional("twice")),
                    bought(on: -9, until: 21, under: .promotional("twice")),
                ]
            ),
            "twice",
            .redemptionLimit
        ),
        Row(
            "twice, a month refunded after the next one had begun",
            history(
                [entry()],
                [
                    bought(on: -40, until: -10, refunded: -3, under: .promotional("twice")),
                    bought(on: -10, until: 20, under: .promotional("twice")),
                ]
            ),
            "twice",
            .active
        ),
        Row(
            "twice, a month refunded and the next one a renewal, as Apple says",
            history(
                [entry()],
                [
                    bought(on: -40, until: -10, refunded: -20, under: .promotional("twice"), because: .purchase),
                    bought(on: -10, until: 20, under: .promotional("twice"), because: .renewal),
                ]
            ),
            "twice",
            .active
        ),
        Row(
            "a family member's redemption does not",
            history(
                [entry()],
                [bought(on: -60, until: -30, shared: true, under: .promotional("once")), bought()]
            ),
            "once",
            .active
        ),
    ]

    static let evidence: [Row] = [
        Row("no evidence", nil, "anyone", .noEvidence),
        Row("no evidence, but no such offer", nil, "nope", .offerNotInCatalog),
        Row("no evidence, but the offer ended", nil, "gone", .offerEnded),
        Row("no list of entries, no receipt", history(nil), "anyone", .noEvidence),
        Row("another app", history([entry()], [bought()], of: "com.example.other"), "anyone", .bundleMismatch),
        Row(
            "the app in capitals is another",
            history([entry()], [bought()], of: "com.example.Reader"),
            "anyone",
            .bundleMismatch
        ),
        Row("no app named", history([entry()], [bought()], of: nil), "anyone", .noEvidence),
        Row(
            "sandbox, production only",
            history([entry()], [bought()], from: .sandbox),
            "anyone",
            .environmentNotAllowed
        ),
        Row("environment unknown", history([entry()], [bought()], from: nil), "anyone", .environmentNotAllowed),
        Row("another app, in the sandbox", history([], of: "x", from: .sandbox), "anyone", .bundleMismatch),
        Row("two days old", history([entry()], [bought()], asOf: day(-2)), "anyone", .evidenceStale),
        Row("a day old to the second", history([entry()], [bought()], asOf: day(-1)), "anyone", .active),
        Row("no date", history([entry()], [bought()], asOf: nil), "anyone", .evidenceStale),
        Row("old, and nothing bought", history([], asOf: day(-2)), "anyone", .evidenceStale),
        Row("old, and of another app", history([], of: "x", asOf: day(-2)), "anyone", .bundleMismatch),
        Row("old, and the offer has ended", history([entry()], asOf: day(-2)), "gone", .offerEnded),
        Row(
            "expiry is judged at Apple's clock",
            history([entry()], [bought(until: -0.2)], asOf: day(-0.5)),
            "anyone",
            .active
        ),
        Row("own account", history([entry()], [bought(by: alice)]), "anyone", .active, account: token(alice)),
        Row(
            "own account in capitals",
            history([entry()], [bought(by: alice)]),
            "anyone",
            .active,
            account: token(alice.uppercased())
        ),
        Row(
            "another's account",
            history([entry()], [bought(by: alice)]),
            "anyone",
            .accountMismatch,
            account: token(bob)
        ),
        Row(
            "no account asked, one in the evidence",
            history([entry()], [bought(by: alice)]),
            "anyone",
            .accountMismatch
        ),
        Row(
            "a username that is the UUID",
            history([entry()], [bought(by: alice)]),
            "anyone",
            .active,
            account: .applicationUsername(alice.uppercased())
        ),
        Row(
            "a username that is no UUID",
            history([entry()], [bought(by: alice)]),
            "anyone",
            .accountMismatch,
            account: .applicationUsername("alice")
        ),
        Row(
            "account asked, none in the evidence",
            history([entry()], [bought()]),
            "anyone",
            .active,
            account: token(bob)
        ),
        Row(
            "bought for two accounts of one person",
            history([entry()], [bought(on: -90, until: -60, by: bob), bought(by: alice)]),
            "anyone",
            .active,
            account: token(bob)
        ),
        Row(
            "another group's account is no proof for this one",
            history(
                [entry("1"), entry("2", "news.monthly")],
                [bought("1", by: alice), bought("2", "news.monthly", by: bob)]
            ),
            "anyone",
            .accountMismatch,
            account: token(bob)
        ),
        Row(
            "evidence of another account altogether",
            history([entry("1")], [bought("1"), bought("2", "news.monthly", by: alice)]),
            "anyone",
            .accountMismatch,
            account: token(bob)
        ),
    ]
}

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
        Row("no such product", [entry()], [bought()], .offerNotInCatalog, product: "pro.weekly"),
        Row("no such offer", [entry()], [bought()], .offerNotInCatalog, "nope"),
        Row("an offer of another product", [entry()], [bought()], .offerNotInCatalog, "upgrade"),
        Row("another case of the identifier", [entry()], [bought()], .offerNotInCatalog, "Anyone"),
        Row("for lapsed, and lapsed", [entry(ended: true)], [bought(until: -1)], .lapsed, "comeback"),
        Row("for lapsed, but active", [entry()], [bought()], .stateNotInAudience, "comeback"),
        Row("to stay, about to leave", [entry(renews: false)], [bought()], .activeAutoRenewOff, "stay"),
        Row("to stay, but renewing", [entry()], [bought()], .stateNotInAudience, "stay"),
        Row("upgrade from the month", [entry()], [bought()], .active, "upgrade", product: "pro.yearly"),
        Row("starts tomorrow", [entry()], [bought()], .offerNotStarted, "soon"),
        Row("starts this moment", [entry()], [bought()], .active, "from-now"),
        Row("ended yesterday", [entry()], [bought()], .offerEnded, "gone"),
        Row("ends this moment", [entry()], [bought()], .offerEnded, "until-now"),
        Row("in its week", [entry()], [bought()], .active, "this-week"),
        Row("once, never redeemed", [entry()], [bought()], .active, "once"),
        Row("once, redeemed", [entry()], [bought(under: .promotional("once"))], .redemptionLimit, "once"),
        Row("once, another redeemed", [entry()], [bought(under: .promotional("twice"))], .active, "once"),
        Row("a code of that name is no redemption", [entry()], [bought(under: .offerCode("once"))], .active, "once"),
        Row("twice, three renewals of one redemption", [entry()], payAsYouGo + [bought()], .active, "twice"),
        Row(
            "twice, redeemed twice",
            [entry()],
            [twice(-90, -60), bought(on: -60, until: -30), twice(-30, 0), bought(on: 0, until: 30)],
            .redemptionLimit,
            "twice"
        ),
        Row(
            "twice, bought again under it after a lapse",
            [entry(renews: false, ended: true)],
            [twice(-180, -150), twice(-140, -110)],
            .redemptionLimit,
            "twice"
        ),
        Row(
            "twice, renewed under it a day late",
            [entry()],
            [twice(-61, -31), twice(-30, 0), bought(on: 0, until: 30)],
            .active,
            "twice"
        ),
        Row(
            "twice, bought again under it in the sandbox's minutes",
            [entry()],
            [twice(-0.02, -0.0165), twice(-0.014, -0.0105), bought(on: -0.0105, until: 1)],
            .redemptionLimit,
            "twice"
        ),
        Row(
            "twice, bought again under it while it ran, as Apple says",
            [entry()],
            [
                twice(-60, -30, because: .purchase),
                twice(-30, 0, because: .purchase),
                bought(on: 0, until: 30, because: .renewal),
            ],
            .redemptionLimit,
            "twice"
        ),
        Row(
            "twice, renewed under it after weeks of billing retry, as Apple says",
            [entry()],
            [
                twice(-90, -60, because: .purchase),
                twice(-30, 0, because: .renewal),
                bought(on: 0, until: 30, because: .renewal),
            ],
            .active,
            "twice"
        ),
        Row(
            "twice, one transaction listed twice",
            [entry()],
            [
                bought(on: -30, until: 0, under: .promotional("twice"), called: "9", because: .purchase),
                bought(on: -30, until: 0, under: .promotional("twice"), called: "9", because: .purchase),
                bought(on: 0, until: 30),
            ],
            .active,
            "twice"
        ),
        Row(
            "redeemed on two subscriptions",
            [entry("1"), entry("2")],
            [
                bought("1", on: -90, until: -60, under: .promotional("twice")),
                bought("2", on: -30, until: 0, under: .promotional("twice")),
            ],
            .redemptionLimit,
            "twice"
        ),
        Row("once, for the next renewal already", [entry(nextOffer: "once")], [bought()], .redemptionLimit, "once"),
        Row(
            "twice, running on into the next renewal",
            [entry(nextOffer: "twice")],
            [bought(under: .promotional("twice"))],
            .active,
            "twice"
        ),
        Row(
            "refunded redemption counts",
            [entry()],
            [bought(on: -60, until: -30, refunded: -50, under: .promotional("once")), bought()],
            .redemptionLimit,
            "once"
        ),
        Row(
            "twice, bought again under it after a refund of the year that was paid",
            [entry()],
            [twice(-20, 345, refunded: -15), twice(-4, 26)],
            .redemptionLimit,
            "twice"
        ),
        Row(
            "twice, bought again under it between a refund and the day on which the time would have ended",
            [entry()],
            [twice(-40, -10, refunded: -12), twice(-9, 21)],
            .redemptionLimit,
            "twice"
        ),
        Row(
            "twice, a month refunded after the next one had begun",
            [entry()],
            [twice(-40, -10, refunded: -3), twice(-10, 20)],
            .active,
            "twice"
        ),
        Row(
            "a family member's redemption does not",
            [entry()],
            [bought(on: -60, until: -30, shared: true, under: .promotional("once")), bought()],
            .active,
            "once"
        ),
    ]

    static let evidence: [Row] = [
        Row("no evidence", history: nil, .noEvidence),
        Row("no evidence, but no such offer", history: nil, .offerNotInCatalog, "nope"),
        Row("no evidence, but the offer ended", history: nil, .offerEnded, "gone"),
        Row("no list of entries, no receipt", history: history(nil), .noEvidence),
        Row("another app", [entry()], [bought()], of: "com.example.other", .bundleMismatch),
        Row("the app in capitals is another", [entry()], [bought()], of: "com.example.Reader", .bundleMismatch),
        Row("no app named", [entry()], [bought()], of: nil, .noEvidence),
        Row("sandbox, production only", [entry()], [bought()], from: .sandbox, .environmentNotAllowed),
        Row("environment unknown", [entry()], [bought()], from: nil, .environmentNotAllowed),
        Row("another app, in the sandbox", [], [], of: "x", from: .sandbox, .bundleMismatch),
        Row("two days old", [entry()], [bought()], asOf: day(-2), .evidenceStale),
        Row("a day old to the second", [entry()], [bought()], asOf: day(-1), .active),
        Row("no date", [entry()], [bought()], asOf: nil, .evidenceStale),
        Row("old, and nothing bought", [], [], asOf: day(-2), .evidenceStale),
        Row("old, and of another app", [], [], of: "x", asOf: day(-2), .bundleMismatch),
        Row("old, and the offer has ended", [entry()], [], asOf: day(-2), .offerEnded, "gone"),
        Row("expiry is judged at Apple's clock", [entry()], [bought(until: -0.2)], asOf: day(-0.5), .active),
        Row("own account", [entry()], [bought(by: alice)], .active, account: token(alice)),
        Row("own account in capitals", [entry()], [bought(by: alice)], .active, account: token(alice.uppercased())),
        Row("another's account", [entry()], [bought(by: alice)], .accountMismatch, account: token(bob)),
        Row("no account asked, one in the evidence", [entry()], [bought(by: alice)], .accountMismatch),
        Row("as username", [entry()], [bought(by: alice)], .active, account: .applicationUsername(alice.uppercased())),
        Row("a plain name", [entry()], [bought(by: alice)], .accountMismatch, account: .applicationUsername("alice")),
        Row("account asked, none in the evidence", [entry()], [bought()], .active, account: token(bob)),
        Row(
            "bought for two accounts of one person",
            [entry()],
            [bought(on: -90, until: -60, by: bob), bought(by: alice)],
            .active,
            account: token(bob)
        ),
        Row(
            "another group's account is no proof for this one",
            [entry("1"), entry("2", "news.monthly")],
            [bought("1", by: alice), bought("2", "news.monthly", by: bob)],
            .accountMismatch,
            account: token(bob)
        ),
        Row(
            "evidence of another account altogether",
            [entry("1")],
            [bought("1"), bought("2", "news.monthly", by: alice)],
            .accountMismatch,
            account: token(bob)
        ),
    ]
}

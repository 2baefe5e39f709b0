import Offers
import Testing

private let alice = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

@Suite("Introductory offers, row by row")
struct IntroductoryPolicyTests {
    typealias Case = CustomerRow<IntroductoryReason>

    private static let trial = bought(on: -90, until: -60, under: .introductory)
    private static let lapsed = bought(on: -60, until: -30)
    private static let news = bought("2", "news.monthly")

    private static let past: [Case] = [
        Case("never bought anything", [], [], .neverUsed),
        Case("coins only", [], [bought("9", "coins", until: nil)], .neverUsed),
        Case("subscribed at full price, and left", [entry(ended: true)], [lapsed], .neverUsed),
        Case("had a trial, and left", [entry(ended: true)], [trial, lapsed], .alreadyUsed),
        Case("had a trial, and stayed", [entry()], [trial, bought()], .alreadyUsed),
        Case("in the trial now", [entry()], [bought(under: .introductory)], .alreadyUsed),
        Case(
            "the trial was refunded",
            [entry()],
            [bought(on: -60, until: -30, refunded: -50, under: .introductory)],
            .alreadyUsed
        ),
        Case(
            "the trial was upgraded",
            [entry()],
            [bought(upgraded: true, under: .introductory), bought("1", "pro.yearly")],
            .alreadyUsed
        ),
        Case(
            "the trial was of another product of the group",
            [entry(ended: true)],
            [bought("1", "pro.yearly", on: -60, until: -53, under: .introductory)],
            .alreadyUsed
        ),
        Case(
            "the trial was of another group",
            [entry("2", "news.monthly")],
            [bought("2", "news.monthly", under: .introductory)],
            .neverUsed
        ),
        Case(
            "the trial was of another group, asked for that",
            [entry("2", "news.monthly")],
            [bought("2", "news.monthly", under: .introductory)],
            .alreadyUsed,
            product: "news.monthly"
        ),
        Case("a promotional offer is none", [entry()], [bought(until: -9, under: .promotional("x"))], .neverUsed),
        Case("an offer code is none", [entry()], [bought(until: -9, under: .offerCode("x"))], .neverUsed),
        Case("a win-back offer is none", [entry()], [bought(until: -9, under: .winBack("x"))], .neverUsed),
        Case("active", [entry()], [bought()], .activeSubscription),
        Case("active, auto-renew off", [entry(renews: false)], [bought()], .activeSubscription),
        Case("active in another group", [entry("2", "news.monthly")], [news], .neverUsed),
        Case("active by the entry alone", [entry()], [], .activeSubscription),
        Case("active, but without entries", [], [bought()], .activeSubscription),
        Case("expired at this very moment, without entries", [], [bought(on: -30, until: 0)], .neverUsed),
        Case("active by the family", [entry()], [bought(shared: true)], .activeSubscription),
        Case("the family's ended", [entry()], [bought(until: -9, shared: true)], .neverUsed),
        Case("the family's trial", [entry()], [bought(until: -9, shared: true, under: .introductory)], .neverUsed),
        Case("in grace: access goes on", [entry(graceUntil: 3)], [bought(until: -1)], .gracePeriod),
        Case("in grace by the family", [entry(graceUntil: 3)], [bought(until: -1, shared: true)], .gracePeriod),
        Case(
            "in grace by the family, beside one's own that lapsed",
            [entry("1", graceUntil: 3), entry("2", ended: true)],
            [bought("1", until: -2, shared: true), bought("2", until: -1)],
            .gracePeriod
        ),
        Case("grace is over", [entry(graceUntil: -3)], [bought(until: -9)], .neverUsed),
        Case("in retry, without access", [entry(retrying: true)], [bought(until: -9)], .neverUsed),
        Case("refunded at full price", [entry()], [bought(refunded: -2)], .neverUsed),
        Case(
            "moved to another product, without a mark, and left",
            [entry(ended: true)],
            [bought("1", "pro.yearly", until: 300), bought(on: -5, until: -1)],
            .neverUsed
        ),
        Case(
            "moved to another product, without a mark, and stayed",
            [entry()],
            [bought("1", "pro.yearly", until: 300), bought(on: -5)],
            .activeSubscription
        ),
        Case(
            "renewed ahead of time for another product, which was refunded",
            [entry()],
            [bought("1", "pro.yearly", until: 1), bought(on: 1, until: 30, refunded: -0.5)],
            .activeSubscription
        ),
        Case(
            "renewed ahead of time, which was refunded, and another product bought instead",
            [entry()],
            [
                bought(on: -31, until: -1), bought(on: -1, until: 30, refunded: -1.5, called: "2"),
                bought("1", "pro.yearly", on: -1.2, until: 364, called: "3"),
            ],
            .activeSubscription
        ),
        Case(
            "another subscription of the group ended, one is running",
            [entry("2", ended: true)],
            [bought("1", "pro.yearly"), bought("2", on: -5, until: -1)],
            .activeSubscription
        ),
        Case("had a trial and is in grace", [entry(graceUntil: 3)], [trial, bought(until: -1)], .alreadyUsed),
        Case("ended by the entry, no transaction of it", [entry(ended: true)], [], .noEvidence),
    ]

    /// What is in doubt is unknown, never eligible.
    private static let doubts: [Case] = [
        Case("no evidence", history: nil, .noEvidence),
        Case("no such product", [], [], .groupUnknown, product: "pro.weekly"),
        Case("no such product, no evidence either", history: nil, .groupUnknown, product: "pro.weekly"),
        Case("another app", [], [], of: "com.example.other", .noEvidence),
        Case("app unknown", [], [], of: nil, .noEvidence),
        Case("the sandbox", [], [], from: .sandbox, .noEvidence),
        Case("another's account", [entry()], [bought(until: -9, by: alice)], .noEvidence),
        Case("no date", [], [], asOf: nil, .evidenceStale),
        Case("two days old", [], [], asOf: day(-2), .evidenceStale),
        Case("no list of entries", history: history(nil), .noEvidence),
        Case("no list of entries, but a trial", history: history(nil, [trial]), .alreadyUsed),
        Case("an entry of an unknown group", [entry("9", "gone")], [], .groupUnknown),
        Case("a trial of an unknown group", [], [bought("9", "gone", until: -9, under: .introductory)], .groupUnknown),
        Case("running in an unknown group", [], [bought("9", "gone")], .groupUnknown),
        Case("long ended in an unknown group, at full price", [], [bought("9", "gone", until: -9)], .neverUsed),
        Case("signed transactions with a trial", [entry()], [trial], coverage: .partial, .alreadyUsed),
        Case("signed transactions, active", [entry()], [bought()], coverage: .partial, .activeSubscription),
        Case("signed transactions, lapsed", [entry()], [lapsed], coverage: .partial, .noEvidence),
        Case("signed transactions of another group", [], [news], coverage: .partial, .noEvidence),
        Case("no signed transaction at all", [], [], coverage: .partial, .noEvidence),
        Case(
            "an iOS 6 style transaction receipt: what was before it is unseen",
            [entry()],
            [lapsed],
            coverage: .oneSubscription,
            .noEvidence
        ),
        Case("statuses: lapsed, older ones unseen", [entry()], [lapsed], coverage: .newestTransactions, .noEvidence),
        Case("statuses: the trial is the newest", [entry()], [trial], coverage: .newestTransactions, .alreadyUsed),
        Case(
            "statuses: no subscription of the group",
            [entry("2", "news.monthly")],
            [news],
            coverage: .newestTransactions,
            .neverUsed
        ),
    ]

    /// A purchase of which nobody said whether it was a trial, as Apple numbers it.
    private static func unsaid(_ item: String? = nil, _ transaction: Transaction = lapsed) -> Transaction {
        var transaction = copy(item, transaction)
        transaction.isOfferSaid = false
        return transaction
    }

    private static func copy(_ item: String?, _ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.webOrderLineItemId = item
        return transaction
    }

    /// Whether a purchase was the customer's own trial: what is not said is not "no".
    private static let trials: [Case] = [
        Case("nobody says whether it was a trial", [entry(ended: true)], [unsaid()], .noEvidence),
        Case("nobody says it, or the group", [], [unsaid(nil, bought("9", "gone", until: -9))], .groupUnknown),
        Case(
            "nobody says it, or the group, of an earlier purchase in the subscription",
            [entry(ended: true)],
            [unsaid(nil, bought("1", "gone", on: -90, until: -60)), lapsed],
            .noEvidence
        ),
        Case(
            "nobody says it, or the group, of an earlier purchase in a subscription of another group",
            [entry("2", "news.monthly")],
            [unsaid(nil, bought("2", "gone", on: -90, until: -60)), news],
            .neverUsed
        ),
        Case(
            "a copy says it of a purchase of no known group",
            [],
            [unsaid("9", bought("9", "gone", until: -9)), copy("9", bought("9", "gone", until: -9))],
            .neverUsed
        ),
        Case("nobody says it of coins", [], [unsaid(nil, bought("9", "gone", until: nil))], .neverUsed),
        Case(
            "nobody says it of one purchase among others",
            [entry(ended: true)],
            [unsaid(nil, bought(on: -90, until: -60)), lapsed],
            .noEvidence
        ),
        Case(
            "another copy says that it was none",
            [entry(ended: true)],
            [unsaid("31"), copy("31", bought("7", on: -60, until: -30, called: "70"))],
            .neverUsed
        ),
        Case(
            "another copy says that it was one",
            [entry(ended: true)],
            [unsaid("31"), copy("31", bought(on: -60, until: -30, under: .introductory))],
            .alreadyUsed
        ),
        Case("nobody says it of the family's", [entry()], [unsaid(nil, bought(until: -9, shared: true))], .neverUsed),
        Case(
            "nobody says it in another group",
            [entry(ended: true), entry("2", "news.monthly")],
            [lapsed, unsaid(nil, news)],
            .neverUsed
        ),
        Case(
            "the trial of a seat is somebody else's",
            [entry(ended: true)],
            [bought(on: -90, until: -60, owner: .assigned, under: .introductory), lapsed],
            .neverUsed
        ),
        Case(
            "a trial of an owner that is not known",
            [entry(ended: true)],
            [bought(on: -90, until: -60, owner: .unknown("GIFTED"), under: .introductory), lapsed],
            .noEvidence
        ),
    ]

    private func decide(_ row: Case, explaining: Bool = false) -> IntroductoryDecision {
        introductory(row.history, product: row.product, explaining: explaining)
    }

    @Test("Each customer gets the introductory offer, or the reason against it", arguments: past + doubts + trials)
    func judged(row: Case) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("An explanation is the same evaluation", arguments: past + doubts)
    func explanation(row: Case) throws {
        let explained = decide(row, explaining: true)
        #expect(decide(row).explanation == nil)
        #expect(decide(row).reason == explained.reason)
        #expect(decide(row).detail == explained.detail)
        let last = try #require(explained.explanation?.last)
        #expect(last.verdict == explained.verdict)
    }

    @Test("The transaction that used the offer is named")
    func names() {
        let used = history([entry()], [bought(on: -60, until: -53, under: .introductory, called: "77")])
        #expect(
            decide(Case("", history: used, .alreadyUsed)).detail
                == "The customer used a trial or introductory price of group pro on 2026-09-22: transaction 77."
        )
    }
}

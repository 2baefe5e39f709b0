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
        Case("never bought anything", .neverUsed).when([], []),
        Case("coins only", .neverUsed).when([], [bought("9", "coins", until: nil)]),
        Case("subscribed at full price, and left", .neverUsed).when([entry(ended: true)], [lapsed]),
        Case("had a trial, and left", .alreadyUsed).when([entry(ended: true)], [trial, lapsed]),
        Case("had a trial, and stayed", .alreadyUsed).when([entry()], [trial, bought()]),
        Case("in the trial now", .alreadyUsed).when([entry()], [bought(under: .introductory)]),
        Case("the trial was refunded", .alreadyUsed)
            .when([entry()], [bought(on: -60, until: -30, refunded: -50, under: .introductory)]),
        Case("the trial was upgraded", .alreadyUsed)
            .when([entry()], [bought(upgraded: true, under: .introductory), bought("1", "pro.yearly")]),
        Case("the trial was of another product of the group", .alreadyUsed)
            .when([entry(ended: true)], [bought("1", "pro.yearly", on: -60, until: -53, under: .introductory)]),
        Case("the trial was of another group", .neverUsed)
            .when([entry("2", "news.monthly")], [bought("2", "news.monthly", under: .introductory)]),
        Case("the trial was of another group, asked for that", .alreadyUsed, product: "news.monthly")
            .when([entry("2", "news.monthly")], [bought("2", "news.monthly", under: .introductory)]),
        Case("a promotional offer is none", .neverUsed).when([entry()], [bought(until: -9, under: .promotional("x"))]),
        Case("an offer code is none", .neverUsed).when([entry()], [bought(until: -9, under: .offerCode("x"))]),
        Case("a win-back offer is none", .neverUsed).when([entry()], [bought(until: -9, under: .winBack("x"))]),
        Case("active", .activeSubscription).when([entry()], [bought()]),
        Case("active, auto-renew off", .activeSubscription).when([entry(renews: false)], [bought()]),
        Case("active in another group", .neverUsed).when([entry("2", "news.monthly")], [news]),
        Case("active by the entry alone", .activeSubscription).when([entry()], []),
        Case("active, but without entries", .activeSubscription).when([], [bought()]),
        Case("expired at this very moment, without entries", .neverUsed).when([], [bought(on: -30, until: 0)]),
        Case("active by the family", .activeSubscription).when([entry()], [bought(shared: true)]),
        Case("the family's ended", .neverUsed).when([entry()], [bought(until: -9, shared: true)]),
        Case("the family's trial", .neverUsed).when([entry()], [bought(until: -9, shared: true, under: .introductory)]),
        Case("in grace: access goes on", .gracePeriod).when([entry(graceUntil: 3)], [bought(until: -1)]),
        Case("in grace by the family", .gracePeriod).when([entry(graceUntil: 3)], [bought(until: -1, shared: true)]),
        Case("in grace by the family, beside one's own that lapsed", .gracePeriod)
            .when(
                [entry("1", graceUntil: 3), entry("2", ended: true)],
                [bought("1", until: -2, shared: true), bought("2", until: -1)]
            ),
        Case("grace is over", .neverUsed).when([entry(graceUntil: -3)], [bought(until: -9)]),
        Case("in retry, without access", .neverUsed).when([entry(retrying: true)], [bought(until: -9)]),
        Case("refunded at full price", .neverUsed).when([entry()], [bought(refunded: -2)]),
        Case("moved to another product, without a mark, and left", .neverUsed)
            .when([entry(ended: true)], [bought("1", "pro.yearly", until: 300), bought(on: -5, until: -1)]),
        Case("moved to another product, without a mark, and stayed", .activeSubscription)
            .when([entry()], [bought("1", "pro.yearly", until: 300), bought(on: -5)]),
        Case("renewed ahead of time for another product, which was refunded", .activeSubscription)
            .when([entry()], [bought("1", "pro.yearly", until: 1), bought(on: 1, until: 30, refunded: -0.5)]),
        Case("renewed ahead of time, which was refunded, and another product bought instead", .activeSubscription)
            .when(
                [entry()],
                [
                    bought(on: -31, until: -1), bought(on: -1, until: 30, refunded: -1.5, called: "2"),
                    bought("1", "pro.yearly", on: -1.2, until: 364, called: "3"),
                ]
            ),
        Case("another subscription of the group ended, one is running", .activeSubscription)
            .when([entry("2", ended: true)], [bought("1", "pro.yearly"), bought("2", on: -5, until: -1)]),
        Case("had a trial and is in grace", .alreadyUsed).when([entry(graceUntil: 3)], [trial, bought(until: -1)]),
        Case("ended by the entry, no transaction of it", .noEvidence).when([entry(ended: true)], []),
    ]

    /// What is in doubt is unknown, never eligible.
    private static let doubts: [Case] = [
        Case("no evidence", .noEvidence).when(nil),
        Case("no such product", .groupUnknown, product: "pro.weekly").when([], []),
        Case("no such product, no evidence either", .groupUnknown, product: "pro.weekly").when(nil),
        Case("another app", .noEvidence).when([], [], of: "com.example.other"),
        Case("app unknown", .noEvidence).when([], [], of: nil),
        Case("the sandbox", .noEvidence).when([], [], from: .sandbox),
        Case("another's account", .noEvidence).when([entry()], [bought(until: -9, by: alice)]),
        Case("no date", .evidenceStale).when([], [], asOf: nil),
        Case("two days old", .evidenceStale).when([], [], asOf: day(-2)),
        Case("no list of entries", .noEvidence).when(history(nil)),
        Case("no list of entries, but a trial", .alreadyUsed).when(history(nil, [trial])),
        Case("an entry of an unknown group", .groupUnknown).when([entry("9", "gone")], []),
        Case("a trial of an unknown group", .groupUnknown)
            .when([], [bought("9", "gone", until: -9, under: .introductory)]),
        Case("running in an unknown group", .groupUnknown).when([], [bought("9", "gone")]),
        Case("long ended in an unknown group, at full price", .neverUsed).when([], [bought("9", "gone", until: -9)]),
        Case("signed transactions with a trial", .alreadyUsed).when([entry()], [trial], coverage: .partial),
        Case("signed transactions, active", .activeSubscription).when([entry()], [bought()], coverage: .partial),
        Case("signed transactions, lapsed", .noEvidence).when([entry()], [lapsed], coverage: .partial),
        Case("signed transactions of another group", .noEvidence).when([], [news], coverage: .partial),
        Case("no signed transaction at all", .noEvidence).when([], [], coverage: .partial),
        Case("an iOS 6 style transaction receipt: what was before it is unseen", .noEvidence)
            .when([entry()], [lapsed], coverage: .oneSubscription),
        Case("statuses: lapsed, older ones unseen", .noEvidence)
            .when([entry()], [lapsed], coverage: .newestTransactions),
        Case("statuses: the trial is the newest", .alreadyUsed).when([entry()], [trial], coverage: .newestTransactions),
        Case("statuses: no subscription of the group", .neverUsed)
            .when([entry("2", "news.monthly")], [news], coverage: .newestTransactions),
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
        Case("nobody says whether it was a trial", .noEvidence).when([entry(ended: true)], [unsaid()]),
        Case("nobody says it, or the group", .groupUnknown).when([], [unsaid(nil, bought("9", "gone", until: -9))]),
        Case("nobody says it, or the group, of an earlier purchase in the subscription", .noEvidence)
            .when([entry(ended: true)], [unsaid(nil, bought("1", "gone", on: -90, until: -60)), lapsed]),
        Case("nobody says it, or the group, of an earlier purchase in a subscription of another group", .neverUsed)
            .when([entry("2", "news.monthly")], [unsaid(nil, bought("2", "gone", on: -90, until: -60)), news]),
        Case("a copy says it of a purchase of no known group", .neverUsed)
            .when([], [unsaid("9", bought("9", "gone", until: -9)), copy("9", bought("9", "gone", until: -9))]),
        Case("nobody says it of coins", .neverUsed).when([], [unsaid(nil, bought("9", "gone", until: nil))]),
        Case("nobody says it of one purchase among others", .noEvidence)
            .when([entry(ended: true)], [unsaid(nil, bought(on: -90, until: -60)), lapsed]),
        Case("another copy says that it was none", .neverUsed)
            .when([entry(ended: true)], [unsaid("31"), copy("31", bought("7", on: -60, until: -30, called: "70"))]),
        Case("another copy says that it was one", .alreadyUsed)
            .when([entry(ended: true)], [unsaid("31"), copy("31", bought(on: -60, until: -30, under: .introductory))]),
        Case("nobody says it of the family's", .neverUsed)
            .when([entry()], [unsaid(nil, bought(until: -9, shared: true))]),
        Case("nobody says it in another group", .neverUsed)
            .when([entry(ended: true), entry("2", "news.monthly")], [lapsed, unsaid(nil, news)]),
        Case("the trial of a seat is somebody else's", .neverUsed)
            .when([entry(ended: true)], [bought(on: -90, until: -60, owner: .assigned, under: .introductory), lapsed]),
        Case("a trial of an owner that is not known", .noEvidence)
            .when(
                [entry(ended: true)],
                [bought(on: -90, until: -60, owner: .unknown("GIFTED"), under: .introductory), lapsed]
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
            decide(Case("", .alreadyUsed).when(used)).detail
                == "The customer used a trial or introductory price of group pro on 2026-09-22: transaction 77."
        )
    }
}

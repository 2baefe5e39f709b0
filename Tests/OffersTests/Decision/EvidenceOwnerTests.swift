import Offers
import Testing

/// Whose a subscription is, where a sender chose what to show: signed transactions, and held state.
@Suite("Subscriptions of several people in one piece of evidence")
struct EvidenceOwnerTests {
    private static let alice = Account.alice.payloadField
    private static let bob = Account.bob.payloadField

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let transactions: [Transaction]
        /// What becomes of it where a sender chose what to show, and whether the account is counted.
        let composed: (reason: Reason, isCounted: Bool)
        /// The same where Apple answered about one Apple Account.
        let whole: (reason: Reason, isCounted: Bool)

        /// `whole` is `nil` where it is the same.
        init(
            _ description: String,
            _ transactions: [Transaction],
            _ composed: (Reason, isCounted: Bool),
            whole: (Reason, isCounted: Bool)? = nil
        ) {
            testDescription = description
            (self.transactions, self.composed) = (transactions, composed)
            self.whole = whole ?? composed
        }
    }

    private static let ownLapsed = bought("2", until: -9, by: alice)
    private static let ownCoins = bought("9", "coins", until: nil, by: alice)
    private static let handedOn = [
        bought("1", on: -40, until: -10, by: bob, called: "1"), bought("1", by: alice, called: "2"),
    ]

    private static let cases: [Case] = [
        Case("one's own", [bought("1", by: alice)], (.active, false)),
        Case("one that names nobody", [bought("1")], (.active, true)),
        Case("nobody's, beside coins of one's own", [bought("1"), ownCoins], (.active, true), whole: (.active, false)),
        Case("nobody's, beside one's own lapsed", [bought("1"), ownLapsed], (.active, true), whole: (.active, false)),
        Case("another's", [bought("1", by: bob)], (.accountMismatch, false)),
        Case(
            "another's, beside one's own that lapsed",
            [bought("1", by: bob), ownLapsed],
            (.lapsed, false),
            whole: (.active, false)
        ),
        Case(
            "another's, beside one's own in another group",
            [bought("1", by: bob), bought("2", "news.monthly", by: alice)],
            (.accountMismatch, false)
        ),
        Case("one that was another's and is one's own now", handedOn, (.active, false)),
    ]

    private func outcome(_ history: any CustomerSaying) -> (reason: Reason, isCounted: Bool) {
        var policy = examplePolicy(history, for: .alice, maximumAge: 0)
        let offer = OfferRequest(productId: "pro.monthly", offerId: "anyone")
        let decision = policy.decide(offer)
        let grant = policy.grant(of: offer, decision.reason, signatures: [])
        return (decision.reason, decision.verdict == .eligible && grant.maximumAccounts != nil)
    }

    @Test(
        "Each counts for the account that it names; of one that names none the accounts are counted",
        arguments: cases
    )
    func owner(of row: Case) {
        let ids = Set(row.transactions.filter { $0.expiresDate != nil }.map(\.originalTransactionId)).sorted()
        let entries = ids.map { id in
            entry(id, row.transactions.first { $0.originalTransactionId == id }?.productId, renews: nil)
        }
        let composed = outcome(history([], row.transactions, coverage: .partial))
        #expect(composed.reason == row.composed.reason)
        #expect(composed.isCounted == row.composed.isCounted)
        let whole = outcome(history(entries, row.transactions))
        #expect(whole.reason == row.whole.reason)
        #expect(whole.isCounted == row.whole.isCounted)
    }

    @Test("A customer known by presented evidence is counted without it, too; one that a purchase names is not")
    func held() {
        let view = Account.alice.view
        let app = exampleApp()
        for (token, isCounted) in [(nil, true), (Self.alice, false)] {
            let observed = observation(history([entry()], [bought(by: token, called: "1")]), for: .alice)
            let held = Book(held: OffersTests.held([observed]), of: app, for: view)
            let outcome = held.map(outcome)
            #expect(outcome?.reason == .active)
            #expect(outcome?.isCounted == isCounted)
        }
    }

    @Test("The state after an upgraded transaction is unknown without its successor, beside any evidence")
    func upgradedAlone() {
        let old = bought(on: -900, until: -870, upgraded: true, called: "1")
        for transactions in [[old], [old, bought("9", "coins", until: nil)]] {
            #expect(outcome(history([], transactions, coverage: .partial)).reason == .noEvidence)
        }
        let newest = bought("1", "pro.yearly", on: -870, until: 20, called: "2")
        #expect(outcome(history([], [old, newest], coverage: .partial)).reason == .active)
        // An entry of Apple's says by itself what the customer is.
        #expect(outcome(history([entry(ended: true)], [old], coverage: .partial)).reason == .lapsed)
    }
}

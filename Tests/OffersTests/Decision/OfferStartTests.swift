import Offers
import Testing

@Suite("When an offer would start")
struct OfferStartTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let why: String
        let history: Shown
        let product: String
        let offer: String
        let begins: OfferStart?
        let replaces: Bool

        init(
            _ why: String,
            _ history: Shown,
            _ offer: String,
            _ begins: OfferStart?,
            replaces: Bool = false,
            product: String = "pro.monthly"
        ) {
            (self.why, self.history, self.product) = (why, history, product)
            (self.offer, self.begins, self.replaces) = (offer, begins, replaces)
        }

        var testDescription: String { why }
    }

    private static let active = history([entry()], [bought()])
    private static let underOffer = history([entry()], [bought(under: .promotional("stay"))])

    private static let cases: [Case] = [
        Case("lapsed: there is nothing to wait for", history([entry()], [bought(until: -9)]), "anyone", .now),
        Case("retry: access has ended", history([entry(retrying: true)], [bought(until: -9)]), "anyone", .now),
        Case("refunded and forgiven", history([entry()], [bought(refunded: -1)]), "forgive", .now),
        Case("grace: Apple does not say", history([entry(graceUntil: 2)], [bought(until: -1)]), "anyone", nil),
        Case("the product held: at the renewal", active, "anyone", .nextRenewal),
        Case("an upgrade: at once", active, "higher", .now, product: "max.monthly"),
        Case("a downgrade: at the renewal", active, "lower", .nextRenewal, product: "basic.monthly"),
        Case("same level, same period: at once", active, "beside", .now, product: "other.monthly"),
        Case("same level, other period: at the renewal", active, "upgrade", .nextRenewal, product: "pro.yearly"),
        Case("levels unknown: no start", active, "somewhere", nil, product: "unranked"),
        Case(
            "held product not in the catalog: not said",
            history([entry("1", "pro.old", group: "pro")], [bought("1", "pro.old", group: "pro")]),
            "anyone",
            nil
        ),
        Case(
            "scope app, nothing held in the product's group: at once",
            history([entry("2", "news.monthly")], [bought("2", "news.monthly")]),
            "whole-app",
            .now
        ),
        Case("shared: what Apple does is not known", history([entry()], [bought(shared: true)]), "families", nil),
        Case("replaces the offer that is running", underOffer, "anyone", .nextRenewal, replaces: true),
        Case(
            "replaces a trial",
            history([entry()], [bought(under: .introductory)]),
            "higher",
            .now,
            replaces: true,
            product: "max.monthly"
        ),
        Case(
            "replaces the offer of the next renewal",
            history([entry(nextOffer: "stay")], [bought()]),
            "anyone",
            .nextRenewal,
            replaces: true
        ),
        Case(
            "an offer that has run out is not replaced",
            history([entry()], [bought(until: -9, under: .promotional("stay"))]),
            "anyone",
            .now
        ),
    ]

    @Test("As Apple changes plans", arguments: cases)
    func begins(of row: Case) {
        var policy = examplePolicy(row.history)
        let decision = policy.decide(OfferRequest(productId: row.product, offerId: row.offer))
        #expect(decision.verdict == .eligible)
        #expect(decision.begins == row.begins)
        #expect(decision.replacesActiveOffer == row.replaces)
    }

    @Test("Nothing starts for a customer who may not have the offer", arguments: CustomerTable.all)
    func refused(row: Row) {
        let decision = row.decision()
        if decision.verdict != .eligible {
            #expect(decision.begins == nil)
            #expect(!decision.replacesActiveOffer)
        }
    }
}

import Offers
import Testing

@Suite("Decisions, row by row")
struct OfferPolicyTests {
    @Test("Each customer gets the offer, or the reason against it", arguments: CustomerTable.all)
    func reason(row: Row) {
        #expect(row.decision().reason == row.expected)
    }

    @Test("Without a limit, evidence of any age counts; without a date it never does")
    func noAgeLimit() {
        let old = Row("old", .active).when([entry()], [bought()], asOf: day(-2))
        #expect(old.decision(maximumAge: 0).reason == .active)
        let undated = Row("undated", .evidenceStale).when([entry()], [bought()], asOf: nil)
        #expect(undated.decision(maximumAge: 0).reason == .evidenceStale)
    }

    @Test("An environment counts where the app's settings name it")
    func environments() {
        let sandbox = history([entry()], [bought()], from: .sandbox)
        var policy = examplePolicy(sandbox, of: exampleApp(environments: [.production, .sandbox]))
        #expect(policy.decide(OfferRequest(productId: "pro.monthly", offerId: "anyone")).reason == .active)
    }

    @Test("A policy that is asked for every offer, and again, decides as if it were asked for each alone")
    func everyOffer() {
        let app = exampleApp()
        let twoGroups = history([entry("1"), entry("2", "news.monthly", ended: true)], [bought("1")])
        func policy() -> OfferPolicy { examplePolicy(twoGroups, of: app, maximumAge: 0) }
        let alone = app.offers.map { offer in
            var policy = policy()
            return policy.decide(offer, explaining: true)
        }
        #expect(app.offers.count > 16 && Set(alone.map(\.reason)).count > 4)
        var shared = policy()
        #expect(app.offers.map { shared.decide($0, explaining: true) } == alone)
        #expect(app.offers.reversed().map { shared.decide($0, explaining: true) } == alone.reversed())
    }

    @Test("An operator's word replaces the customer's state, not the catalog nor the window")
    func skipping() {
        func decision(_ offer: String) -> Decision {
            let request = OfferRequest(productId: "pro.monthly", offerId: offer)
            return examplePolicy(nil).decideWithoutEligibility(request, explaining: true)
        }
        #expect(decision("comeback").reason == .eligibilitySkipped)
        #expect(decision("comeback").explanation?.map(\.rule) == ["catalog", "startsAt", "endsAt"])
        #expect(decision("nope").reason == .offerNotInCatalog)
        #expect(decision("gone").reason == .offerEnded)
        #expect(decision("soon").reason == .offerNotStarted)
    }

    @Test("The detail has the customer's state and the offer's condition")
    func detail() {
        let lapsed = Row("", .lapsed, "comeback").when([entry(ended: true)], [bought(on: -80, until: -50)])
        #expect(lapsed.decision().detail == "The subscription expired 2026-10-02; the offer is for lapsed subscribers.")
        let active = Row("", .stateNotInAudience, "comeback").when([entry()], [bought()])
        #expect(active.decision().detail == "The subscription renews 2026-12-11; the offer is for lapsed subscribers.")
    }
}

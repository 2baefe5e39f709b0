import Offers
import Testing

@Suite("Decisions, row by row")
struct OfferPolicyTests {
    private func decide(_ row: Row, maximumAge: Int64 = 86400) -> Decision {
        var policy = OfferPolicy(
            app: exampleApp(),
            customer: Customer(account: row.account, history: row.history),
            now: clock,
            maximumEvidenceAgeSeconds: maximumAge
        )
        return policy.decide(OfferRequest(productId: row.product, offerId: row.offer))
    }

    @Test("The state of a subscription", arguments: CustomerTable.states + CustomerTable.certainty)
    func state(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Groups and entries", arguments: CustomerTable.groups)
    func group(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Subscriptions of an unknown group", arguments: CustomerTable.unknownGroups)
    func unknownGroup(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Rows of which no entry speaks", arguments: CustomerTable.rowsWithoutEntry)
    func rowWithoutEntry(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Whose purchase it is", arguments: CustomerTable.owners)
    func owner(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Revocations, and what contradicts itself", arguments: CustomerTable.contradictions)
    func contradiction(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("The offer's own rules", arguments: CustomerTable.offers)
    func offer(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Evidence that does not count", arguments: CustomerTable.evidence)
    func evidence(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("An offer may be for those alone who pay for the running period", arguments: CustomerTable.trials)
    func trials(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Where the customer has to be a subscriber, and of what", arguments: CustomerTable.scopes)
    func scope(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("How long a lapsed customer has been away", arguments: CustomerTable.lapses)
    func lapse(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Which of several subscriptions ended last", arguments: CustomerTable.ends)
    func end(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Refunds and families", arguments: CustomerTable.treatments)
    func treatment(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("The order of reasons, and the evidence's coverage", arguments: CustomerTable.strict)
    func strict(row: Row) {
        #expect(decide(row).reason == row.expected)
    }

    @Test("Without a limit, evidence of any age counts; without a date it never does")
    func noAgeLimit() {
        let old = Row("old", history([entry()], [bought()], asOf: day(-2)), "anyone", .active)
        #expect(decide(old, maximumAge: 0).reason == .active)
        let undated = Row("undated", history([entry()], [bought()], asOf: nil), "anyone", .evidenceStale)
        #expect(decide(undated, maximumAge: 0).reason == .evidenceStale)
    }

    @Test("An environment counts where the app's settings name it")
    func environments() {
        var policy = OfferPolicy(
            app: exampleApp(environments: [.production, .sandbox]),
            customer: Customer(account: .none, history: history([entry()], [bought()], from: .sandbox)),
            now: clock,
            maximumEvidenceAgeSeconds: 86400
        )
        #expect(policy.decide(OfferRequest(productId: "pro.monthly", offerId: "anyone")).reason == .active)
    }

    @Test("One policy answers for several groups")
    func severalGroups() {
        let twoGroups = history([entry("1"), entry("2", "news.monthly", ended: true)], [bought("1")])
        var policy = OfferPolicy(
            app: exampleApp(),
            customer: Customer(account: .none, history: twoGroups),
            now: clock,
            maximumEvidenceAgeSeconds: 0
        )
        #expect(policy.decide(OfferRequest(productId: "pro.monthly", offerId: "anyone")).reason == .active)
        #expect(policy.decide(OfferRequest(productId: "news.monthly", offerId: "extra")).reason == .lapsed)
        #expect(
            policy.decide(OfferRequest(productId: "pro.monthly", offerId: "comeback")).reason == .stateNotInAudience
        )
    }

    @Test("A policy that is asked for every offer, and again, decides as if it were asked for each alone")
    func everyOffer() {
        let app = exampleApp()
        let twoGroups = history([entry("1"), entry("2", "news.monthly", ended: true)], [bought("1")])
        let customer = Customer(account: .none, history: twoGroups)
        func policy() -> OfferPolicy {
            OfferPolicy(app: app, customer: customer, now: clock, maximumEvidenceAgeSeconds: 0)
        }
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
        let policy = OfferPolicy(
            app: exampleApp(),
            customer: Customer(account: .none, history: nil),
            now: clock,
            maximumEvidenceAgeSeconds: 86400
        )
        func reason(_ offer: String) -> Reason {
            policy.decideWithoutEligibility(OfferRequest(productId: "pro.monthly", offerId: offer)).reason
        }
        #expect(reason("comeback") == .eligibilitySkipped)
        #expect(reason("nope") == .offerNotInCatalog)
        #expect(reason("gone") == .offerEnded)
        #expect(reason("soon") == .offerNotStarted)
    }

    @Test("The detail has the customer's state and the offer's condition")
    func detail() {
        let lapsed = Row("", history([entry(ended: true)], [bought(on: -80, until: -50)]), "comeback", .lapsed)
        #expect(
            decide(lapsed).detail == "The subscription expired 2026-10-02; the offer is for lapsed subscribers."
        )
        let active = Row("", history([entry()], [bought()]), "comeback", .stateNotInAudience)
        #expect(
            decide(active).detail == "The subscription renews 2026-12-11; the offer is for lapsed subscribers."
        )
    }

    @Test("No refusal and no doubt is ever eligible", arguments: CustomerTable.all)
    func verdicts(row: Row) {
        let eligible: Set<Reason> = [.active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed]
        #expect((decide(row).verdict == .eligible) == eligible.contains(row.expected))
    }

    @Test("Shuffled lists change no verdict", arguments: CustomerTable.all)
    func order(row: Row) {
        guard var shuffled = row.history else { return }
        for _ in 0..<5 {
            shuffled.transactions.shuffle()
            shuffled.renewals?.shuffle()
            let other = Row(row.why, shuffled, row.offer, row.expected, product: row.product, account: row.account)
            #expect(decide(other) == decide(row))
        }
    }
}

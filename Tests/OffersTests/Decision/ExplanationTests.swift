import Testing

@testable import Offers

@Suite("Explanations")
struct ExplanationTests {
    private func decide(
        _ history: Shown,
        _ offer: String = "anyone",
        for account: Account = .none
    ) -> Decision { Row("", .active, offer, account: account).when(history).decision(explaining: true) }

    private func saw(_ rule: String, _ history: Shown, _ offer: String = "anyone") throws -> String {
        let findings = try #require(decide(history, offer).explanation)
        return findings.first { $0.rule == rule }?.saw ?? ""
    }

    @Test("An explanation changes nothing, and ends with the rule that refused", arguments: CustomerTable.all)
    func same(row: Row) throws {
        let plain = row.decision()
        let explained = row.decision(explaining: true)
        #expect(plain.explanation == nil)
        #expect(explained.reason == plain.reason)
        #expect(explained.detail == plain.detail)
        let findings = try #require(explained.explanation)
        let last = try #require(findings.last)
        #expect(last.verdict == explained.verdict)
        #expect(findings.dropLast().allSatisfy { $0.verdict == .eligible })
        if explained.verdict != .eligible { #expect(last.saw == explained.detail) }
        #expect(Set(findings.map(\.rule)).count == findings.count)
        #expect(findings.allSatisfy { $0.saw.hasSuffix(".") })
    }

    @Test("Evidence of an environment that does not count names what the catalog has to say")
    func environment() {
        let words =
            "The evidence is from Sandbox; only Production counts for the app, by its environments in the catalog."
        #expect(decide(history([entry()], [bought()], from: .sandbox)).detail == words)
    }

    @Test("It shows how far a commitment has come, what Apple's status is, and how much of a price went back")
    func applesOwn() throws {
        var monthly = bought(called: "7")
        monthly.billingPlan = .monthly(
            BillingPlan.Commitment(billingPeriodNumber: 3, totalBillingPeriods: 12, expiresDate: day(290))
        )
        var cancelled = entry()
        cancelled.commitmentAutoRenewStatus = false
        cancelled.status = SubscriptionStatus(.active, asOf: clock)
        #expect(
            try saw("subscription", history([cancelled], [monthly]))
                == "Subscription 1 of pro.monthly, auto-renew on; its newest transaction that counts is 7 of pro.monthly, "
                + "bought 2026-11-11T12:00:00Z, paid until 2026-12-11T12:00:00Z, paid month by month, billing period 3 "
                + "of 12, until the commitment is over 2027-09-07. Apple's status is 1 (active). The subscription is paid "
                + "month by month, billing period 3 of 12, until the commitment is over 2027-09-07, and ends then."
        )
        var refunded = bought(refunded: -2)
        refunded.revocation = Revocation(.prorated, percentage: 33_500)
        #expect(
            try saw("afterRefund", history([entry()], [refunded]))
                == "The newest purchase was refunded in part (33.500 %) on 2026-11-19."
        )
        refunded.revocation = Revocation(.full)
        #expect(try saw("afterRefund", history([entry()], [refunded])).contains("was refunded in full on 2026-11-19"))
    }

    @Test("It names every rule, the entry, the transaction, and both clocks")
    func everything() throws {
        let customer = history(
            [entry("1000000001", renews: false, ended: true)],
            [bought("1000000001", on: -80, until: -50, called: "1000000099")]
        )
        let findings = try #require(decide(customer, "30-to-60").explanation)
        #expect(
            findings.map(\.rule) == [
                "catalog", "bundleId", "environments", "account", "maximumAccountsPerTransaction", "startsAt", "endsAt",
                "evidence", "subscriptionGroup", "evidenceAge", "subscription", "afterRefund", "familyShared",
                "assigned", "bundled", "audience", "fromProducts", "duringTrial", "lapsedBecause", "storefronts",
                "minimumTenureDays", "duringPriceIncrease", "minimumLapsedDays", "maximumLapsedDays",
                "maxRedemptions", "maximumSignaturesPerCustomer", "holdout",
            ]
        )
        func saw(_ rule: String) -> String { findings.first { $0.rule == rule }?.saw ?? "" }
        #expect(
            saw("subscription")
                == "Subscription 1000000001 of pro.monthly, auto-renew off; its newest transaction that counts is "
                + "1000000099 of pro.monthly, bought 2026-09-02T12:00:00Z, paid until 2026-10-02T12:00:00Z. "
                + "The subscription expired 2026-10-02."
        )
        #expect(
            saw("evidence") == "Apple made the evidence at 2026-11-21T12:00:00Z, the clock by which expiry is judged."
        )
        #expect(saw("startsAt") == "The offer has no start; the service's clock says 2026-11-21T12:00:00Z.")
        #expect(
            saw("minimumLapsedDays")
                == "The subscription ended 2026-10-02, 50 days before the evidence was made; the offer asks for at least "
                + "30 days."
        )
    }

    @Test("Days compare with the offer's: whole ones with the fewest, begun ones with the most")
    func days() throws {
        func saw(_ lapsed: Double, _ offer: String, _ rule: String) throws -> String {
            let customer = history(
                [entry("1", renews: false, ended: true)],
                [bought("1", on: -100, until: -lapsed, called: "2")]
            )
            return try self.saw(rule, customer, offer)
        }
        #expect(try saw(29.5, "after-30", "minimumLapsedDays").contains(", 29 days before the evidence was made; "))
        #expect(try saw(60.5, "within-60", "maximumLapsedDays").contains(", more than 60 days before the evidence was"))
        #expect(
            try saw(0.5, "after-30", "minimumLapsedDays").contains(", less than a day before the evidence was made")
        )
    }

    @Test("Where another subscription than the one that counts ended last, it is named")
    func endedLast() throws {
        let customer = history(
            [entry("1", ended: true), entry("2", "pro.yearly")],
            [bought("1", on: -70, until: -40), bought("2", "pro.yearly", on: -3, until: 27, refunded: -0.1)]
        )
        #expect(
            try saw("afterRefund", customer, "forgive-later")
                == "The newest purchase of the subscription that counts was not refunded."
        )
        #expect(
            try saw("minimumLapsedDays", customer, "forgive-later")
                == "Another subscription of pro.yearly ended 2026-11-21, less than a day before the evidence was made; "
                + "the offer asks for at least 30 days."
        )
        let undated = history([entry("1", ended: true), entry("2", ended: true)], [bought(on: -70, until: -40)])
        #expect(
            try saw("minimumLapsedDays", undated, "after-30")
                == "The evidence does not say when another subscription ended; the offer asks for at least 30 days."
        )
        let alone = history([entry(ended: true)])
        #expect(
            try saw("maximumLapsedDays", alone, "within-60")
                == "The evidence does not say when the subscription ended; the offer allows at most 60 days."
        )
    }

    @Test("A shared subscription is said to be one, with its state where it counts, and nothing of other purchases")
    func shared() throws {
        let customer = history([entry("1")], [bought("1", shared: true), bought("2", "news.monthly", until: -5)])
        #expect(decide(customer).detail == "The subscription is shared by a family member.")
        #expect(
            decide(customer, "families-lapsed").detail
                == "Shared by a family member: the subscription renews 2026-12-11; the offer is for lapsed subscribers."
        )
        #expect(
            decide(customer, "families").detail
                == "Shared by a family member: the subscription renews 2026-12-11; the offer is for every current or "
                + "former subscriber."
        )
    }

    @Test("A product that is not in the catalog is named, with what to do")
    func unlisted() {
        let detail = decide(history([entry("9", "gone")], [bought("9", "gone")])).detail
        #expect(detail.hasSuffix("cannot be told from the catalog and Apple's answer: list gone in the catalog."))
    }

    @Test("The customers of an offer are listed as in a sentence")
    func people() {
        #expect(PromotionalOffer.phrase(of: [.lapsed]) == "lapsed subscribers")
        #expect(PromotionalOffer.phrase(of: [.active, .lapsed]) == "active subscribers and lapsed subscribers")
        #expect(
            PromotionalOffer.phrase(of: [.active, .gracePeriod, .lapsed])
                == "active subscribers, subscribers in the grace period and lapsed subscribers"
        )
    }

    @Test("No account is repeated: an explanation is read aloud")
    func accounts() throws {
        let customer = history([entry()], [bought(by: Account.alice.payloadField)])
        let findings = try #require(decide(customer).explanation)
        #expect(!findings.contains { $0.saw.contains(Account.alice.payloadField) })
        #expect(findings.last?.saw == "The evidence names an appAccountToken; the request names no account.")
        #expect(
            decide(customer, for: .bob).detail
                == "The evidence names another appAccountToken than the request: the one that the app set on the purchase."
        )
    }
}

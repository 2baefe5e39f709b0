import Offers
import Testing

@Suite("Held state beside evidence: each subscription by its newest news")
struct HeldBesideEvidenceTests {
    private let token = Account.alice.payloadField

    private func introductory(_ history: any CustomerSaying) -> IntroductoryReason {
        OffersTests.introductory(history, for: .alice).reason
    }

    /// A subscription of another group, dated lately.
    private var news: Book {
        let bought = bought("5", "news.monthly", on: -5, until: 25, by: token, called: "5")
        return observation(signed(bought, entry("5", "news.monthly"), on: -0.1))
    }

    @Test("An observation of one subscription moves no clock but its own")
    func clocks() {
        let renewing = history([entry()], [bought(on: -30, until: -0.6)], asOf: day(-0.9))
        for history in [renewing, updated(renewing, by: [news])] as [any CustomerSaying] {
            #expect(decide(history) == .active)
            #expect(decide(history, "comeback") == .evidenceStale)
            #expect(introductory(history) == .evidenceStale)
        }
        #expect(decide(updated(renewing, by: [news]), "extra", product: "news.monthly") == .active)
        let ended = observation(signed(bought(on: -30, until: -0.6), entry(renews: false), on: -0.1))
        #expect(decide(updated(renewing, by: [ended]), "comeback") == .lapsed)
        #expect(introductory(updated(renewing, by: [ended])) == .neverUsed)
        let away = history([entry(ended: true)], [bought(on: -60, until: -30.5)], asOf: day(-0.9))
        for history in [away, updated(away, by: [news])] as [any CustomerSaying] {
            #expect(decide(history, "after-30") == .lapsedTooRecently)
        }
        let observed = observation(signed(bought(on: -60, until: -30.5), entry(ended: true), on: -0.1))
        #expect(decide(updated(away, by: [observed]), "after-30") == .lapsed)
    }

    @Test("The clock is named by which expiry was judged: a later one where more is known of the subscription")
    func clockInWords() throws {
        let away = history([entry(ended: true)], [bought(on: -60, until: -30.5)], asOf: day(-0.9))
        let observed = observation(signed(bought(on: -60, until: -30.5), entry(ended: true), on: -0.1))
        func saw(_ rule: String, _ history: any CustomerSaying) throws -> String {
            var policy = examplePolicy(history, for: .alice)
            let request = OfferRequest(productId: "pro.monthly", offerId: "after-30")
            let findings = try #require(policy.decide(request, explaining: true).explanation)
            return findings.first { $0.rule == rule }?.saw ?? ""
        }
        let updated = OffersTests.updated(away, by: [observed], isApples: false)
        #expect(
            try saw("evidence", updated)
                == "Apple made the evidence at 2026-11-20T14:24:00Z; a newer statement about the subscription is of "
                + "2026-11-21T09:36:00Z, the clock by which its expiry is judged."
        )
        #expect(try saw("minimumLapsedDays", updated).contains(", 30 days before 2026-11-21T09:36:00Z; "))
        let other = OffersTests.updated(away, by: [news], isApples: false)
        #expect(try saw("minimumLapsedDays", other).contains(", 29 days before the evidence was made; "))
    }

    @Test("What is held of the renewal for too long does not tell the group of a product that the catalog lacks")
    func groupOfOldRenewal() {
        let evidence = signed(bought("1", "mystery.monthly", on: -40, until: -10, called: "10"), on: -0.5)
        for (date, since, reason) in [(-3, -1, Reason.groupUnknown), (-3, -4, .lapsed)] {
            let known = observation(history([entry(ended: true)], [], asOf: day(Double(date))), for: .alice)
            let book = updated(evidence, by: [known])
            #expect(decide(book, "comeback", limit: 0, since: day(Double(since))) == reason)
        }
    }

    @Test("Entries of one subscription that contradict each other have the same refund, and the same redemptions")
    func contradictingEntries() {
        let entries = [entry("1"), entry("1", renews: false)]
        let evidence = history(entries, [bought(called: "10")], asOf: day(-0.5))
        let refund = observation(signed(bought(refunded: -0.8, called: "10"), on: -0.2))
        #expect(decide(updated(evidence, by: [refund])) == .refunded)
        let once = history(entries, [bought(under: .promotional("twice"), called: "10")], asOf: day(-0.5))
        #expect(decide(once, "twice") == .active)
    }

    @Test("A held transaction that a later answer of all transactions does not have can only refuse")
    func notInLaterAnswer() {
        let ended = history([entry(renews: false)], [bought(on: -90, until: -60, called: "10")], asOf: day(-0.1))
        let running = observation(signed(bought(called: "11"), on: -3))
        #expect(decide(updated(ended, by: [running]), "stay") == .stateNotInAudience)
        #expect(decide(updated(ended, by: [running]), "comeback") == .stateNotInAudience)
        let renewing = history([entry()], [bought(called: "11")], asOf: day(-0.1))
        let other = bought(on: -5, until: -1, under: .promotional("once"), called: "12")
        let over = observation(signed(other, entry(renews: false), on: -0.5))
        #expect(decide(updated(renewing, by: [over]), "comeback") == .stateNotInAudience)
        #expect(decide(updated(renewing, by: [over]), "once") == .redemptionLimit)
        // The newest alone are listed: then an older one need not be there.
        var newest = ended
        newest.coverage = .newestTransactions
        let before = observation(
            signed(bought(on: -120, until: -90, under: .promotional("once"), called: "9"), on: -100)
        )
        #expect(decide(updated(newest, by: [before]), "comeback") == .lapsed)
        #expect(decide(updated(newest, by: [before]), "once") == .redemptionLimit)
    }

    @Test("A client's answer takes back no redemption of which Apple spoke, also where it names another owner")
    func redemptionOfAnotherOwner() {
        let redeemed = bought(under: .promotional("once"), called: "10")
        let known = observation(signed(redeemed, entry(), on: -0.3))
        let evidence = history([entry("5")], [bought(owner: .assigned, called: "10"), bought("5")], asOf: day(-0.1))
        #expect(decide(updated(evidence, by: [known], isApples: false), "once") == .redemptionLimit)
        #expect(decide(updated(evidence, by: [known], isApples: false), "twice") == .active)
    }

    @Test("That an answer does not name the account that Apple has named takes the purchase from nobody")
    func unsaidAccount() {
        let known = observation(signed(bought(by: token, called: "10"), entry(), on: -0.3))
        let evidence = history([entry()], [bought(called: "10")], asOf: day(-0.1))
        #expect(decide(updated(evidence, by: [known], isApples: false)) == .active)
        let strangers = evidence.joined(with: held([known]), for: Account.bob.view)
        #expect(decide(strangers, for: .bob) == .accountMismatch)
    }

    @Test("That an answer does not say whose a purchase is takes back no owner that Apple has named")
    func namedOwner() {
        let evidence = history([entry()], [bought(called: "10")], asOf: day(-0.1))
        for (owner, reason) in [
            (Ownership.familyShared, Reason.familyShared), (.assigned, .assigned), (.unknown("NEW"), .noEvidence),
            (.purchased, .active),
        ] {
            let known = observation(signed(bought(owner: owner, called: "10"), entry(), on: -0.3))
            #expect(decide(updated(evidence, by: [known], isApples: false)) == reason)
            #expect(decide(updated(evidence, by: [known])) == reason)
        }
    }

    @Test("That an unsigned answer does not say whose a purchase is says nothing of what is signed later")
    func unsaidOwner() {
        let evidence = history([entry()], [bought(called: "10")], asOf: day(-0.6))
        let unsaid = observation(signed(bought(owner: .unknown(nil), called: "10"), on: -0.3))
        #expect(decide(updated(evidence, by: [unsaid], isApples: false)) == .noEvidence)
        #expect(decide(updated(evidence, by: [unsaid])) == .noEvidence)
        let own = signed(bought(called: "10"), entry(), on: -0.6)
        #expect(decide(updated(own, by: [unsaid])) == .active)
    }

    @Test("A subscription that was to renew after its last news is not taken for one that ended, beside any evidence")
    func overdue() {
        let renewing = bought(on: -30, until: -0.6, by: token, called: "1")
        let observed = observation(signed(renewing, entry(), on: -0.8))
        let other = signed(bought("5", "news.monthly", by: token, called: "5"), on: -0.85)
        // A copy that is signed since then says nothing of the renewal.
        for evidence in [other, signed(renewing, on: -0.85), signed(renewing, on: -0.1)] {
            #expect(decide(updated(evidence, by: [observed]), "comeback") == .evidenceStale)
        }
        #expect(decide(signed(renewing, on: -0.1), "comeback") == .lapsed)
        let ending = observation(signed(renewing, entry(renews: false), on: -0.8))
        #expect(decide(updated(other, by: [ending]), "comeback") == .lapsed)
    }

    @Test("A transaction that is signed again says nothing of its renewal: Apple's last word on that still counts")
    func lastWord() {
        let expired = bought(on: -30, until: -0.5, by: token, called: "1")
        let running = bought(on: -20, until: 10, by: token, called: "1")
        var grace = entry()
        grace.gracePeriodExpiresDate = day(3)
        var retry = entry()
        retry.isInBillingRetryPeriod = true
        for (transaction, renewal, reason) in [
            (expired, grace, Reason.gracePeriod), (expired, retry, .billingRetry),
            (running, entry(renews: false), .activeAutoRenewOff),
        ] {
            let observed = observation(signed(transaction, renewal, on: -0.4))
            for signedOn in [-0.4, -0.1] {
                let alone = signed(transaction, on: signedOn)
                #expect(decide(updated(alone, by: [observed])) == reason)
                #expect(
                    decide(alone.joined(with: held([observed]), for: Account.alice.view), since: day(-0.4))
                        == reason
                )
            }
            // What is too old to count by itself counts no more beside it.
            let late = signed(transaction, on: -0.1)
            #expect(decide(late.joined(with: held([observed]), for: Account.alice.view), since: day(-0.3)) != reason)
            // Renewal info that comes with the transaction is newer.
            #expect(decide(updated(signed(transaction, entry(), on: -0.1), by: [observed])) != reason)
        }
        // What was bought since then is another time.
        let observed = observation(signed(expired, grace, on: -0.4))
        let again = signed(bought(on: -0.2, until: 29, by: token, called: "2"), on: -0.1)
        #expect(decide(updated(again, by: [observed])) == .active)
    }

    @Test("An old word that another product may run keeps a customer from coming from the one that ended")
    func oldWord() {
        let month = bought("1", on: -90, until: -60, by: token, called: "1")
        let year = bought("2", "pro.yearly", on: -395, until: -30, by: token, called: "2")
        let told = [signed(month, entry("1"), on: -80), signed(year, entry("2", "pro.yearly", ended: true), on: -2)]
        let sent = history([], [month, year], asOf: day(-0.1), coverage: .partial)
        let both = sent.joined(with: held(told.map { observation($0, for: .alice) }), for: Account.alice.view)
        #expect(decide(both, "from-year", for: .alice, since: day(-1)) == .evidenceStale)
    }

    @Test("Of one Apple Account's answer nothing is left out for what is held of others")
    func owners() {
        let evidence = history(
            [entry("1", ended: true), entry("2")],
            [
                bought("1", on: -60, until: -30, by: token, called: "1"),
                bought("2", by: Account.bob.payloadField, called: "2"),
            ],
            asOf: day(-0.5)
        )
        #expect(decide(evidence) == .active)
        #expect(decide(updated(evidence, by: [news], isApples: false)) == .active)
        // What is held counts for its owner alone.
        let sent = observation(history([entry("9")], [bought("9", called: "9")], asOf: day(-0.4)), for: .alice)
        let owned = observation(signed(bought("9", by: Account.bob.payloadField, called: "9"), entry("9"), on: -0.1))
        let lapsed = history([entry(ended: true)], [bought(on: -60, until: -30, by: token)], asOf: day(-0.5))
        #expect(decide(updated(lapsed, by: [sent], isApples: false)) == .active)
        #expect(decide(updated(lapsed, by: [sent, owned], isApples: false)) == .lapsed)
    }
}

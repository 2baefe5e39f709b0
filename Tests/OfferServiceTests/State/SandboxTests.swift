import LedgerFixtures
import OfferService
import Testing

@testable import Offers

@Suite("A signature names no environment: the Sandbox's evidence counts where what is held in Production allows it")
struct SandboxTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let alice = Account.applicationUsername("7e3fb20b-4cdb-47cc-936d-99d65f608138")

    /// Evidence at hand, whatever is sent.
    private struct Reader: EvidenceReader {
        let book: Book?

        func book(from evidence: Evidence) throws(EvidenceFault) -> Book { book ?? Book() }
    }

    private static let app = App(
        bundleId: "reader",
        environments: [.production, .sandbox],
        subscriptionGroups: [
            SubscriptionGroup(
                id: "1",
                products: [
                    Product(
                        id: "monthly",
                        offers: [
                            PromotionalOffer(id: "back") { $0.audience = [.lapsed] },
                            PromotionalOffer(id: "anyone"), PromotionalOffer(id: "twice") { $0.maxRedemptions = 2 },
                            PromotionalOffer(id: "app") {
                                $0.audience = [.lapsed]
                                $0.scope = .app
                            },
                        ]
                    )
                ]
            ), SubscriptionGroup(id: "2", products: [Product(id: "news")]),
        ]
    )

    /// A subscription that was said of some days before.
    private static func said(
        _ days: Int,
        _ environment: AppStoreEnvironment,
        _ product: String = "monthly",
        until end: Int,
        renews: Bool = true,
        redeemed offer: String? = nil,
        _ change: (inout RenewalInfo) -> Void = { _ in }
    ) -> Book {
        var renewal = RenewalInfo(originalTransactionId: "1", productId: product, autoRenewStatus: renews)
        change(&renewal)
        let transaction = Transaction(
            "1",
            product,
            from: now.adding(days: end - 30),
            until: now.adding(days: end),
            under: offer.map { .promotional($0) },
            called: "\(environment)"
        )
        return Book(of: "reader", in: environment, asOf: now.adding(days: -days), [renewal], [transaction], .partial)
    }

    /// The reason, and how the customer is known; the Sandbox's evidence is of a subscription that lapsed.
    private func reason(
        _ offer: String = "back",
        holding production: Book? = nil,
        for account: Account = alice,
        evidence: Book? = said(0, .sandbox, until: -1, renews: false, redeemed: "twice"),
        environments: Set<AppStoreEnvironment>? = nil
    ) async throws -> (reason: String, environment: AppStoreEnvironment?) {
        let answer = try await answer(offer, production, account, evidence, environments)
        return (answer.decisions[0].decision.reason.rawValue, answer.environment)
    }

    private func answer(
        _ offer: String,
        _ production: Book?,
        _ account: Account,
        _ evidence: Book?,
        _ environments: Set<AppStoreEnvironment>? = nil
    ) async throws -> CustomerAnswer {
        let states = InMemorySubscriptionStates()
        let memory = StateMemory(states: states, digester: HMACAccountDigester(key: [1, 2, 3]))
        if let production {
            states.learn(production.remembered(presentedFor: Self.alice, digester: memory.digester, at: Self.now))
        }
        let useCase = SignOffers(
            apps: [SigningApp(app: Self.app, signer: TestSigner(fails: true))],
            evidenceReader: Reader(book: evidence),
            memory: memory,
            maximumEvidenceAgeSeconds: 86_400,
            ledger: ScriptedLedger(),
            now: { Self.now }
        )
        let request = CustomerRequest(
            client: "backend",
            bundleId: "reader",
            account: account,
            evidence: evidence == nil ? nil : .signedTransactions(["jws"], renewalInfos: []),
            environments: environments,
            .eligibility([OfferRequest(productId: "monthly", offerId: offer)]),
            explain: true
        )
        return try await useCase.answer(request)
    }

    @Test("An explanation has the rules that the evidence passed, and then Production's refusal, which is named")
    func explanation() async throws {
        let active = Self.said(1, .production, until: 20)
        let evidence = Self.said(0, .sandbox, until: -1, renews: false)
        let decision = try await answer("back", active, Self.alice, evidence).decisions[0].decision
        let findings = try #require(decision.explanation)
        #expect(findings.dropLast().allSatisfy { $0.verdict == .eligible })
        #expect(findings.contains { $0.rule == "environments" && $0.saw.contains("Sandbox") })
        #expect(findings.last?.rule == "production" && findings.last?.verdict == .ineligible)
        #expect(decision.detail.hasPrefix("In Production"))
    }

    @Test("Nothing held in Production refuses nothing, in the offer's scope")
    func nothing() async throws {
        #expect(try await reason() == ("lapsed", .sandbox))
        let news = Self.said(40, .production, "news", until: 20)
        #expect(try await reason(holding: news).reason == "lapsed")
        #expect(try await reason("app", holding: news).reason == "state_not_in_audience")
    }

    @Test(
        "State of any age in Production refuses while its paid time runs, is stale where it was to renew, and an end stays"
    )
    func ages() async throws {
        let cases: [(held: Book, reason: String)] = [
            (Self.said(300, .production, until: 20), "state_not_in_audience"),
            (Self.said(300, .production, until: 20, renews: false), "state_not_in_audience"),
            (Self.said(300, .production, until: -2), "evidence_stale"),
            (Self.said(300, .production, until: -2, renews: false), "lapsed"),
            (Self.said(1, .production, until: -20, renews: false) { $0.hasExpirationIntent = true }, "lapsed"),
            (
                Self.said(5, .production, until: -6) { $0.gracePeriodExpiresDate = Self.now.adding(days: 3) },
                "state_not_in_audience"
            ),
            (
                Self.said(5, .production, until: -20) { $0.gracePeriodExpiresDate = Self.now.adding(days: -3) },
                "evidence_stale"
            ),
            (Self.said(50, .production, until: -59) { $0.isInBillingRetryPeriod = true }, "state_not_in_audience"),
            (Self.said(50, .production, until: -61) { $0.isInBillingRetryPeriod = true }, "evidence_stale"),
        ]
        for (index, row) in cases.enumerated() {
            let found = try await reason(holding: row.held)
            #expect(found.reason == row.reason, "\(index)")
            #expect(found.environment == .sandbox)
        }
        #expect(try await reason("anyone", holding: Self.said(300, .production, until: 20)).reason == "lapsed")
    }

    @Test("Redemptions of Production count for the Sandbox, not the reverse")
    func redemptions() async throws {
        #expect(try await reason("twice").reason == "lapsed")
        let redeemed = Self.said(40, .production, until: -20, renews: false, redeemed: "twice")
        #expect(try await reason("twice", holding: redeemed).reason == "redemption_limit")
        let sandbox = Self.said(0, .sandbox, until: -1, renews: false, redeemed: "twice")
        let production = Self.said(0, .production, until: -1, renews: false, redeemed: "twice")
        #expect(try await reason("twice", holding: sandbox, evidence: production) == ("lapsed", .production))
    }

    @Test("Without evidence Production decides, and the Sandbox only where nothing is held in Production")
    func withoutEvidence() async throws {
        let sandbox = Self.said(0, .sandbox, until: -1, renews: false)
        #expect(try await reason(holding: sandbox, evidence: nil) == ("lapsed", .sandbox))
        #expect(try await reason(holding: sandbox, for: .none, evidence: nil).reason == "no_evidence")
    }

    @Test("Without an account nothing of Production is known; a client of the Sandbox alone is not asked for it")
    func outOfScope() async throws {
        let active = Self.said(1, .production, until: 20)
        #expect(try await reason(holding: active).reason == "state_not_in_audience")
        #expect(try await reason(holding: active, for: .none).reason == "lapsed")
        #expect(try await reason(holding: active, environments: [.sandbox]).reason == "lapsed")
        #expect(try await reason(environments: [.production]).reason == "environment_not_allowed")
    }
}

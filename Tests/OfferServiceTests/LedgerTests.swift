import AppStore
import LedgerFixtures
import OfferService
import Offers
import Synchronization
import Testing

@Suite("Signatures and the ledger")
struct LedgerTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let signer = TestSigner()

    private func useCase(_ ledger: ScriptedLedger?) -> SignOffers {
        let now = now
        let limited = PromotionalOffer(id: "limited") { $0.maximumSignaturesPerCustomer = 2 }
        let product = Product(
            id: "monthly",
            offers: [
                PromotionalOffer(id: "stay"), limited, PromotionalOffer(id: "for-lapsed") { $0.audience = [.lapsed] },
                PromotionalOffer(id: "over") { $0.endsAt = now },
            ]
        )
        let app = App(
            bundleId: "com.example.reader",
            customerSeparator: CustomerSeparator("-"),
            subscriptionGroups: [SubscriptionGroup(id: "1", products: [product])]
        )
        return SignOffers(
            apps: [SigningApp(app: app, signer: signer)],
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 86400,
            ledger: ledger,
            now: { now }
        )
    }

    private func request(
        _ offers: [String],
        account: Account = .applicationUsername("4711-8"),
        evidence: Evidence? = nil,
        explain: Bool = false
    ) -> CustomerRequest {
        CustomerRequest.of(
            .signatures(offers.map { OfferRequest(productId: "monthly", offerId: $0) }),
            evidence ?? .active(at: now),
            account: account,
            explain: explain
        )
    }

    @Test("The ledger has all that leaves: request, customer, and each signature with its limits")
    func entry() async throws {
        let ledger = ScriptedLedger()
        let answer = try await useCase(ledger).answer(request(["stay", "nope", "limited"]))
        let entry = try #require(ledger.entries.first)
        #expect(ledger.entries.count == 1)
        #expect(entry.client == "backend")
        #expect(entry.customer == "4711")
        #expect(entry.account == .applicationUsername("4711-8"))
        #expect(entry.environment == .production)
        #expect(entry.evidence == .receiptResponse)
        #expect(entry.grants.map(\.offer.offerId) == ["stay", "limited"])
        #expect(entry.grants.flatMap(\.signatures).map(\.nonce) == answer.decisions.compactMap(\.discount?.nonce))
        #expect(entry.grants.map(\.originalTransactionId) == ["77", "77"])
        #expect(entry.grants.map(\.signatureLimit?.maximumSignaturesPerCustomer) == [nil, 2])
        #expect(entry.grants.map(\.maximumAccounts) == [3, 3])
    }

    @Test("Without a ledger, and when it takes nothing, no signature leaves")
    func noLedger() async {
        let failure = StorageFailure(.unavailable, "the disk is full")
        await #expect(throws: SignatureFault.ledger(failure)) {
            try await useCase(ScriptedLedger(failure: failure)).answer(request(["stay"]))
        }
        await #expect(throws: SignatureFault.self) { try await useCase(nil).answer(request(["stay"])) }
        // What is not signed needs no record.
        await #expect(throws: Never.self) { try await useCase(nil).answer(request(["nope"])) }
    }

    @Test("A signature that the ledger does not confirm does not leave")
    func withoutOutcome() async throws {
        let useCase = useCase(ScriptedLedger())
        guard case .now(let decided) = try useCase.decide(request(["stay", "nope", "limited"])) else {
            Issue.record("nothing had to be waited for")
            return
        }
        let prepared = try await useCase.sign(decided).value()
        for (outcomes, left) in [
            ([.recorded, .recorded], [true, false, true]), ([.recorded], [true, false, false]),
            ([], [false, false, false]),
        ] as [([GrantOutcome], [Bool])] {
            #expect(useCase.release(prepared, by: outcomes).decisions.map { $0.discount != nil } == left)
        }
    }

    @Test("A signature that the ledger refuses does not leave, and the reason is the ledger's")
    func refused() async throws {
        let ledger = ScriptedLedger { grant in
            switch grant.offer.offerId {
            case "limited": .signatureLimit(count: 2)
            default: .evidenceShared(others: 3)
            }
        }
        let answer = try await useCase(ledger).answer(request(["stay", "nope", "limited"], explain: true))
        #expect(answer.decisions.map(\.decision.reason) == [.evidenceShared, .offerNotInCatalog, .signatureLimit])
        #expect(answer.decisions.allSatisfy { $0.discount == nil })
        let last = answer.decisions.map(\.decision.explanation?.last)
        #expect(last.map(\.?.rule) == ["maximumAccountsPerTransaction", "catalog", "maximumSignaturesPerCustomer"])
        #expect(last.map(\.?.verdict) == [.ineligible, .ineligible, .ineligible])
    }

    @Test("Shared evidence comes before the offer's own rules, and a limit after them")
    func order() async throws {
        let full = LedgerAnswer(
            signatures: [OfferRequest(productId: "monthly", offerId: "limited"): 2],
            presentations: ["77": .init(others: 3, isKnown: false)]
        )
        let shared = try await useCase(ScriptedLedger(answer: full)).answer(request(["over", "for-lapsed", "nope"]))
        #expect(shared.decisions.map(\.decision.reason) == [.evidenceShared, .evidenceShared, .offerNotInCatalog])
        let known = LedgerAnswer(signatures: full.signatures, presentations: ["77": .init(others: 3, isKnown: true)])
        let eligibility = try await useCase(ScriptedLedger(answer: known)).answer(
            CustomerRequest.of(.eligibility(nil), .active(at: now), account: .applicationUsername("4711-8"))
        )
        #expect(
            eligibility.decisions.map(\.decision.reason) == [
                .active, .signatureLimit, .stateNotInAudience, .offerEnded,
            ]
        )
    }

    @Test("Shared evidence is refused where it is written, also beside offers that are refused: it is marked there")
    func marked() async throws {
        let shared = LedgerAnswer(presentations: ["77": .init(others: 3, isKnown: false)])
        for explain in [false, true] {
            let ledger = ScriptedLedger(answer: shared) { _ in .evidenceShared(others: 3) }
            let answer = try await useCase(ledger).answer(request(["over", "stay"], explain: explain))
            #expect(answer.decisions.map(\.decision.reason) == [.evidenceShared, .evidenceShared])
            #expect(ledger.entries.map { $0.grants.map(\.offer.offerId) } == [["stay"]])
        }
    }

    @Test("Where all is eligible, the ledger is asked nothing: it decides as it writes")
    func noQuestion() async throws {
        let ledger = ScriptedLedger()
        _ = try await useCase(ledger).answer(request(["stay", "limited"]))
        #expect(ledger.questions.isEmpty)
    }

    @Test(
        "Evidence that was refused as shared is looked up before the next one signs: nothing is signed, nothing written",
        arguments: [true, false]
    )
    func suspect(isAtHand: Bool) async throws {
        let somebody = Account.applicationUsername("4711-8")
        for (account, others, isKnown, reason) in [
            (somebody, 3, false, Reason.evidenceShared), (somebody, 3, true, .active), (somebody, 2, false, .active),
            (.none, 3, false, .evidenceShared), (.none, 2, false, .active),
        ] {
            let ledger = ScriptedLedger(
                answer: LedgerAnswer(presentations: ["77": .init(others: others, isKnown: isKnown)]),
                suspects: ["77"],
                isAtHand: isAtHand
            )
            let before = signer.signatures.withLock { $0 }
            let useCase = useCase(ledger)
            if case .now = try useCase.decide(request(["stay"], account: account)) {
                #expect(isAtHand)
            } else {
                #expect(!isAtHand)
            }
            let answer = try await useCase.answer(request(["stay"], account: account))
            #expect(answer.decisions.map(\.decision.reason) == [reason])
            let isSigned = reason == .active
            #expect(signer.signatures.withLock { $0 } - before == (isSigned ? 1 : 0))
            #expect(ledger.entries.count == (isSigned ? 1 : 0))
            #expect(ledger.questions.map(\.originalTransactionIds).last == ["77"])
        }
    }

    @Test("The account that genuine evidence names is not counted, and never refused")
    func owner() async throws {
        let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let account = try Account.appAccountToken(#require(AppAccountToken(token)))
        let full = LedgerAnswer(presentations: ["77": .init(others: 3000, isKnown: false)])
        let ledger = ScriptedLedger(answer: full)
        let answer = try await useCase(ledger).answer(
            request(["stay"], account: account, evidence: .active(at: now, of: token), explain: true)
        )
        #expect(answer.decisions.map(\.decision.reason) == [.active])
        #expect(ledger.entries.first?.grants.first?.maximumAccounts == nil)
    }

    @Test("On an operator's word, nothing is counted, and the ledger says so")
    func skipped() async throws {
        let ledger = ScriptedLedger()
        _ = try await useCase(ledger).answer(request(["limited"]), skippingEligibility: true)
        let grant = try #require(ledger.entries.first?.grants.first)
        #expect(grant.reason == "eligibility_skipped")
        #expect(grant.signatureLimit == nil)
        #expect(grant.maximumAccounts == nil)
    }
}

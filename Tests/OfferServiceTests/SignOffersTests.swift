import AppStore
import LedgerFixtures
import OfferService
import Offers
import Synchronization
import Testing

/// A signer that counts, and can be made to fail.
final class TestSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"
    let signatures = Mutex(0)
    let fails: Bool

    init(fails: Bool = false) { self.fails = fails }

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        if fails { throw SigningFailure(keyIdentifier: keyIdentifier, detail: "made to fail") }
        signatures.withLock { $0 += 1 }
        return [0x30]
    }
}

@Suite("Signing offers")
struct SignOffersTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let signer = TestSigner()

    private func useCase(signer: TestSigner? = nil, requiresAccount: Bool = false) -> SignOffers {
        let app = App(
            bundleId: "com.example.reader",
            requiresAccount: requiresAccount,
            subscriptionGroups: [
                SubscriptionGroup(
                    id: "1",
                    products: [
                        Product(id: "monthly", offers: [PromotionalOffer(id: "stay"), PromotionalOffer(id: "again")])
                    ]
                )
            ]
        )
        let now = now
        return SignOffers(
            apps: [SigningApp(app: app, signer: signer ?? self.signer)],
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 86400,
            ledger: ScriptedLedger(),
            now: { now }
        )
    }

    private func active(dated offset: Int64 = 0) -> Evidence { .active(at: now, dated: now.adding(seconds: offset)) }

    private func request(
        _ evidence: Evidence?,
        _ offers: [String],
        account: Account = .none,
        bundleId: String = "com.example.reader"
    ) -> CustomerRequest {
        CustomerRequest.of(
            .signatures(offers.map { OfferRequest(productId: "monthly", offerId: $0) }),
            evidence,
            account: account,
            bundleId: bundleId
        )
    }

    @Test("Exactly the eligible offers are signed, in the order asked, each with a nonce of its own")
    func signatures() async throws {
        let answer = try await useCase().answer(request(active(), ["stay", "nope", "again", "stay"]))
        #expect(answer.decisions.map(\.request.offerId) == ["stay", "nope", "again", "stay"])
        #expect(answer.decisions.map(\.decision.verdict) == [.eligible, .ineligible, .eligible, .eligible])
        #expect(answer.environment == .production)
        #expect(answer.decisions.map { $0.discount != nil } == [true, false, true, true])
        #expect(Set(answer.decisions.compactMap(\.discount?.nonce)).count == 3)
        #expect(answer.decisions.compactMap(\.discount?.timestamp) == [now, now, now])
        #expect(signer.signatures.withLock { $0 } == 3)
    }

    @Test("An operator can have it signed without evidence")
    func skipping() async throws {
        let answer = try await useCase().answer(request(nil, ["stay", "nope"]), skippingEligibility: true)
        #expect(answer.decisions.map(\.decision.reason) == [.eligibilitySkipped, .offerNotInCatalog])
        #expect(signer.signatures.withLock { $0 } == 1)
    }

    @Test("Evidence of five minutes ahead is taken; a second more is not genuine")
    func future() async throws {
        await #expect(throws: Never.self) { try await useCase().answer(request(active(dated: 300), ["stay"])) }
        let fault = await #expect(throws: SignatureFault.self) {
            try await useCase().answer(request(active(dated: 301), ["stay"]))
        }
        guard case .evidence(let evidence) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(evidence.code == "evidence_in_future")
        #expect(evidence.kind == .rejected)
    }

    @Test("An app that asks for an account gets one, or nothing is decided")
    func account() async throws {
        await #expect(throws: SignatureFault.accountRequired) {
            try await useCase(requiresAccount: true).answer(request(active(), ["stay"]))
        }
        let named = request(active(), ["stay"], account: .applicationUsername("alice"))
        #expect(try await useCase(requiresAccount: true).answer(named).decisions.first?.discount != nil)
    }

    @Test("An app that the catalog does not have is a fault, and so is a key that fails")
    func faults() async {
        await #expect(throws: SignatureFault.unknownApp(bundleId: "other")) {
            try await useCase().answer(request(active(), ["stay"], bundleId: "other"))
        }
        await #expect(
            throws: SignatureFault.signing(SigningFailure(keyIdentifier: "EXAMPLE123", detail: "made to fail"))
        ) { try await useCase(signer: TestSigner(fails: true)).answer(request(active(), ["stay"])) }
    }
}

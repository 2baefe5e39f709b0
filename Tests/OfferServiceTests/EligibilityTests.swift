import AppStore
import LedgerFixtures
import OfferService
import Offers
import Synchronization
import Testing

@Suite("Eligibility without signatures")
struct EligibilityTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let signer = TestSigner()

    private var useCase: SignOffers {
        let groups = [("1", "monthly"), ("2", "news")].map { id, product in
            SubscriptionGroup(
                id: id,
                products: [
                    Product(id: product, offers: [PromotionalOffer(id: "a"), PromotionalOffer(id: "b")])
                ]
            )
        }
        let now = now
        return SignOffers(
            apps: [SigningApp(app: App(bundleId: "com.example.reader", subscriptionGroups: groups), signer: signer)],
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 86400,
            ledger: ScriptedLedger(),
            now: { now }
        )
    }

    private func ask(
        _ offers: [OfferRequest]?,
        _ products: [String] = [],
        explain: Bool = false
    ) async throws -> CustomerAnswer {
        try await useCase.answer(
            CustomerRequest.of(.eligibility(offers, products: products), .active(at: now), explain: explain)
        )
    }

    @Test("Without a list, every offer of the catalog is decided, in its order, and nothing is signed")
    func everything() async throws {
        let answer = try await ask(nil)
        #expect(
            answer.decisions.map { "\($0.request.productId) \($0.request.offerId)" } == [
                "monthly a", "monthly b", "news a", "news b",
            ]
        )
        #expect(answer.decisions.map(\.decision.reason) == [.active, .active, .neverSubscribed, .neverSubscribed])
        #expect(answer.products.isEmpty)
        #expect(signer.signatures.withLock { $0 } == 0)
    }

    @Test("The decisions are those that would be signed")
    func same() async throws {
        let offers = [OfferRequest(productId: "monthly", offerId: "a"), OfferRequest(productId: "news", offerId: "zz")]
        let signed = try await useCase.answer(
            CustomerRequest.of(.signatures(offers), .active(at: now))
        )
        #expect(try await ask(offers).decisions.map(\.decision) == signed.decisions.map(\.decision))
    }

    @Test("Introductory offers are decided for every product asked for, also for one that is not in the catalog")
    func introductory() async throws {
        let answer = try await ask([], ["news", "monthly", "nope"])
        #expect(answer.products.map(\.productId) == ["news", "monthly", "nope"])
        #expect(answer.products.map(\.introductoryOffer.reason) == [.neverUsed, .activeSubscription, .groupUnknown])
    }

    @Test("An explanation is there on request, for both kinds of decision, and for signatures too")
    func explanation() async throws {
        #expect(try await ask(nil, ["news"]).decisions.allSatisfy { $0.decision.explanation == nil })
        let answer = try await ask(nil, ["news"], explain: true)
        #expect(answer.decisions.allSatisfy { $0.decision.explanation?.isEmpty == false })
        #expect(answer.products.allSatisfy { $0.introductoryOffer.explanation?.isEmpty == false })
        let signed = try await useCase.answer(
            CustomerRequest.of(
                .signatures([OfferRequest(productId: "monthly", offerId: "a")]),
                .active(at: now),
                explain: true
            )
        )
        #expect(signed.decisions.first?.decision.explanation?.last?.rule == "holdout")
    }
}

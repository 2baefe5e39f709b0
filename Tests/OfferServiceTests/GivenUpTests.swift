import LedgerFixtures
import OfferService
import Offers
import Testing

@Suite("Requests that are given up while the App Store is asked")
struct GivenUpTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// The App Store, which answers when the request was given up.
    private struct LateAppStore: EvidenceFetcher {
        func history(
            answering question: AppStoreQuestion,
            for bundleId: String,
            by client: String?,
            needsWholeHistory: Bool
        ) async throws(EvidenceFault) -> Book {
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
            return .active(at: now, told: 10)
        }
    }

    private let ledger = ScriptedLedger()
    private let evidence = Evidence.question(.transactionId("1"))

    private var useCase: SignOffers {
        SignOffers(
            apps: [SigningApp(app: .reader, signer: TestSigner())],
            evidenceReader: NoReader(),
            evidenceFetcher: LateAppStore(),
            maximumEvidenceAgeSeconds: 3600,
            ledger: ledger,
            now: { Self.now }
        )
    }

    @Test("They get nothing signed, and nothing is on record")
    func promotionalOffers() async {
        let request = CustomerRequest.of(
            .signatures([OfferRequest(productId: "monthly", offerId: "o")]),
            evidence,
            bundleId: "reader"
        )
        let call = Task { [useCase] in try await useCase.answer(request) }
        call.cancel()
        await #expect(throws: SignatureFault.givenUp) { try await call.value }
        #expect(ledger.entries.isEmpty)
    }
}

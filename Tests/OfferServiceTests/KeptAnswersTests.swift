import LedgerFixtures
import OfferService
import Offers
import Testing

@Suite("Questions that the App Store has answered a short while ago")
struct KeptAnswersTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// The App Store, which has answered, and is not to be asked again.
    private struct AppStore: EvidenceFetcher {
        let kept: Book?
        /// Whether what is kept is all of the history.
        var isWhole = false

        func keptHistory(
            answering question: AppStoreQuestion,
            for bundleId: String,
            needsWholeHistory: Bool
        ) -> Book? { needsWholeHistory && !isWhole ? nil : kept }

        func history(
            answering question: AppStoreQuestion,
            for bundleId: String,
            by client: String?,
            needsWholeHistory: Bool
        ) async throws(EvidenceFault) -> Book {
            throw EvidenceFault(.unavailable(retryAfterSeconds: 5), code: "asked", detail: "It was asked.")
        }
    }

    private func useCase(_ appStore: AppStore) -> SignOffers {
        SignOffers(
            apps: [SigningApp(app: .reader, signer: TestSigner())],
            evidenceReader: NoReader(),
            evidenceFetcher: appStore,
            maximumEvidenceAgeSeconds: 3600,
            ledger: ScriptedLedger(),
            now: { Self.now }
        )
    }

    private static func history(secondsAgo: Int64) -> Book { .active(at: now, told: secondsAgo) }

    private static let evidence = Evidence.question(.transactionId("1"))

    private func beginning(_ kept: Book?) throws -> Step<SignOffers.Decided, SignatureFault> {
        try useCase(AppStore(kept: kept)).decide(
            CustomerRequest.of(
                .signatures([OfferRequest(productId: "monthly", offerId: "o")]),
                Self.evidence,
                bundleId: "reader"
            )
        )
    }

    @Test("They are decided without waiting, and signed")
    func atOnce() async throws {
        let useCase = useCase(AppStore(kept: Self.history(secondsAgo: 10)))
        guard case .now(let decided) = try beginning(Self.history(secondsAgo: 10)) else {
            Issue.record("Somebody is waited for.")
            return
        }
        let prepared = try await useCase.sign(decided).value()
        #expect(useCase.release(prepared, by: [.recorded]).decisions.first?.discount?.signature == [0x30])
    }

    @Test("Without an answer the App Store is waited for")
    func unknown() throws {
        guard case .later = try beginning(nil) else {
            Issue.record("It is decided without evidence.")
            return
        }
    }

    @Test("An answer from the future is refused, as a new one would be")
    func future() {
        #expect { try beginning(Self.history(secondsAgo: -301)) } throws: {
            guard case .evidence(let fault) = $0 as? SignatureFault else { return false }
            return fault.code == "evidence_in_future"
        }
    }

    @Test("A question about the whole history is not answered with the newest transactions", arguments: [false, true])
    func whole(isWhole: Bool) async {
        let useCase = useCase(AppStore(kept: Self.history(secondsAgo: 10), isWhole: isWhole))
        let request = CustomerRequest.of(
            .introductorySignatures(["monthly"], allowing: true),
            Self.evidence,
            bundleId: "reader"
        )
        await #expect {
            try await useCase.answer(request)
        } throws: {
            switch $0 as? SignatureFault {
            case .evidence(let fault): !isWhole && fault.code == "asked"
            // With its history it gets as far as the issuer, which this app has not.
            case .issuerUnknown: isWhole
            default: false
            }
        }
    }
}

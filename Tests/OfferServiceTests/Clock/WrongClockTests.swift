import AppStore
import LedgerFixtures
import OfferService
import Offers
import Synchronization
import Testing

@Suite("What is answered by a clock that is not Apple's")
struct WrongClockTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let signer = TestSigner()
    private let clock: ClockMonitor

    init() {
        let now = now
        clock = ClockMonitor { ClockReading(wall: now, uptimeMilliseconds: 0) }
    }

    private var useCase: SignOffers {
        let products = [Product(id: "monthly", offers: [PromotionalOffer(id: "a")])]
        let app = App(
            bundleId: "com.example.reader",
            subscriptionGroups: [SubscriptionGroup(id: "1", products: products)]
        )
        let now = now
        return SignOffers(
            apps: [SigningApp(app: app, signer: signer, issuerId: "issuer")],
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 86400,
            ledger: ScriptedLedger(),
            clock: clock,
            now: { now }
        )
    }

    private let offer = OfferRequest(productId: "monthly", offerId: "a")

    private func code(_ kind: CustomerRequest.Kind, dated seconds: Int64 = 0) async -> String? {
        let evidence = Evidence.active(at: now, dated: now.adding(seconds: seconds))
        do {
            _ = try await useCase.answer(CustomerRequest.of(kind, evidence))
            return nil
        } catch {
            guard case .evidence(let fault) = error else { return "\(error)" }
            return fault.code
        }
    }

    @Test("Nothing is signed, and eligibility says so, until the clock is right", arguments: [-1200, 1200] as [Int64])
    func signing(seconds: Int64) async throws {
        #expect(await code(.signatures([offer])) == nil)
        clock.observe(.fetched(now.adding(seconds: seconds)))
        #expect(await code(.signatures([offer])) == nil, "one answer stops nobody")
        clock.observe(.fetched(now.adding(seconds: seconds), about: clock.doubt))
        #expect(await code(.signatures([offer])) == "clock_wrong")
        #expect(await code(.signatures([offer], formats: [.jws])) == "clock_wrong")
        let introductory = CustomerRequest.Kind.introductorySignatures(["monthly"], transactionId: "77")
        #expect(await code(introductory) == "clock_wrong")
        #expect(signer.signatures.withLock { $0 } == 2)
        let answer = try await useCase.answer(CustomerRequest.of(.eligibility(nil), .active(at: now)))
        #expect(!answer.isClockRight)
        #expect(answer.decisions.map(\.decision.reason) == [.active])
        clock.observe(.fetched(now.adding(seconds: -300)))
        #expect(await code(.signatures([offer])) == nil)
        #expect(try await useCase.answer(CustomerRequest.of(.eligibility(nil), .active(at: now))).isClockRight)
    }

    @Test("Evidence ahead of the clock is not called untrue while the clock may be behind")
    func behind() async {
        #expect(await code(.eligibility(nil), dated: 301) == "evidence_in_future")
        clock.observe(.signed(now.adding(seconds: 301)))
        #expect(await code(.eligibility(nil), dated: 301) == "clock_wrong")
        clock.observe(.fetched(now))
        #expect(clock.fault == nil)
        #expect(await code(.eligibility(nil), dated: 301) == "clock_wrong", "Apple signed such a date")
    }
}

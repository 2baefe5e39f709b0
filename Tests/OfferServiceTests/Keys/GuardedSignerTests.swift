import AppStore
import LedgerFixtures
import OfferService
import Offers
import Synchronization
import Testing

/// A key whose hardware can be broken and repaired.
private final class FragileSigner: SelfTestingSigner {
    let keyIdentifier = "EXAMPLE123"
    let isBroken = Mutex(false)

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] { [0x30] }

    func verifies(_ signature: [UInt8], over message: Span<UInt8>) -> Bool { !isBroken.withLock { $0 } }

    func selfTest() throws(SigningFailure) {
        if isBroken.withLock({ $0 }) { throw SigningFailure(keyIdentifier: keyIdentifier, detail: "does not verify") }
    }
}

@Suite("A key that is tested while it is used")
struct GuardedSignerTests {
    private let key = FragileSigner()

    @Test("It signs until a self-test fails, and then no more, even if a later test would pass")
    func failure() throws {
        let guarded = GuardedSigner(key)
        let message: [UInt8] = [1]
        #expect(guarded.keyIdentifier == "EXAMPLE123")
        #expect(guarded.selfTest() == nil)
        #expect(try guarded.derSignature(over: message.span) == [0x30])

        key.isBroken.withLock { $0 = true }
        let failure = SigningFailure(keyIdentifier: "EXAMPLE123", detail: "self-test failed: does not verify")
        #expect(guarded.selfTest() == failure)
        #expect(guarded.failure == failure)
        #expect(throws: SigningFailure.self) { try guarded.derSignature(over: message.span) }

        key.isBroken.withLock { $0 = false }
        #expect(guarded.selfTest() == nil, "it is reported once")
        #expect(throws: SigningFailure.self) { try guarded.derSignature(over: message.span) }
    }

    @Test("Where each signature is verified, a wrong one does not leave, and the key signs no more")
    func wrongSignature() throws {
        let message: [UInt8] = [1]
        let (trusted, guarded) = (GuardedSigner(key), GuardedSigner(key, verifies: true))
        #expect(try guarded.derSignature(over: message.span) == [0x30])
        key.isBroken.withLock { $0 = true }
        #expect(try trusted.derSignature(over: message.span) == [0x30])
        let failure = #expect(throws: SigningFailure.self) { try guarded.derSignature(over: message.span) }
        #expect(failure?.isUnavailability == true)
        #expect(failure?.detail.contains("wrong_signature") == true)
        #expect(guarded.failure == failure)
        key.isBroken.withLock { $0 = false }
        #expect(throws: SigningFailure.self) { try guarded.derSignature(over: message.span) }
    }

    @Test("Its app gets no signature, other apps do")
    func otherApps() async throws {
        let broken = GuardedSigner(key)
        key.isBroken.withLock { $0 = true }
        broken.selfTest()
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let useCase = SignOffers(
            apps: [("com.example.a", broken), ("com.example.b", GuardedSigner(FragileSigner()))].map { id, signer in
                SigningApp(app: App(bundleId: id, subscriptionGroups: [group]), signer: signer)
            },
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 0,
            ledger: ScriptedLedger(),
            now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
        )
        func ask(_ app: String) async throws(SignatureFault) -> Bool {
            let offers = [OfferRequest(productId: "p", offerId: "o")]
            let request = CustomerRequest.of(.signatures(offers), nil, bundleId: app)
            return try await useCase.answer(request, skippingEligibility: true).decisions[0].discount != nil
        }
        #expect(try await ask("com.example.b"))
        await #expect(throws: SignatureFault.self) { try await ask("com.example.a") }
    }
}

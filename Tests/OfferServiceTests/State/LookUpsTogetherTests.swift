import LedgerFixtures
import OfferService
import Offers
import Synchronization
import Testing

@Suite("Requests that come together ask the store of states once")
struct LookUpsTogetherTests {
    /// A store that has to be waited for, as a server's, or answers at once, as a file; it notes how much it was asked.
    private final class Store: SubscriptionStates {
        let isAtHand: Bool
        let asked = Mutex<[Int]>([])

        init(isAtHand: Bool) { self.isAtHand = isAtHand }

        private func read(_ questions: [StateQuestion]) -> [HeldState] {
            asked.withLock { $0.append(questions.count) }
            // Who it is about is seen in the date.
            return questions.map { question in
                let mark = question.account.map { account in
                    AccountHistoryMark(
                        account: account,
                        bundleId: question.bundleId,
                        environment: .production,
                        asOf: Timestamp(millisecondsSince1970: Int64(account.bytes.first ?? 0))
                    )
                }
                return HeldState(marks: mark.map { [$0] } ?? [])
            }
        }

        func atHand(_ questions: [StateQuestion]) -> [HeldState]? { isAtHand ? read(questions) : nil }
        func held(_ questions: [StateQuestion]) async -> [Result<HeldState, StorageFailure>] {
            read(questions).map { .success($0) }
        }
        func learn(_ observation: StateObservation) {}
        func keep(_ notification: NotificationRecord, _ observation: StateObservation) async -> Bool { true }
        func forget(_ account: AccountDigest) async -> Int { 0 }
    }

    /// Digests that are the first byte of a name.
    private struct FirstByte: AccountDigester {
        func digest(of text: String, bundleId: String) -> AccountDigest { AccountDigest(Array(text.utf8.prefix(1))) }
    }

    private struct NoReader: EvidenceReader {
        func history(from evidence: Evidence) throws(EvidenceFault) -> SubscriptionHistory {
            throw EvidenceFault(.rejected, code: "none", detail: "There is no evidence.")
        }
    }

    private struct Signer: ES256Signer {
        let keyIdentifier = "TESTKEY001"

        func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] { [1] }
    }

    @Test("There is one question for all, and each request is decided by its own answer", arguments: [true, false])
    func once(isAtHand: Bool) async throws {
        let store = Store(isAtHand: isAtHand)
        let offers = [PromotionalOffer(id: "o")]
        let group = SubscriptionGroup(id: "1", products: [Product(id: "monthly", offers: offers)])
        let useCase = SignOffers(
            apps: [SigningApp(app: App(bundleId: "reader", subscriptionGroups: [group]), signer: Signer())],
            evidenceReader: NoReader(),
            memory: StateMemory(states: store, digester: FirstByte()),
            // What Apple said at the 60th millisecond or earlier is too old.
            maximumEvidenceAgeSeconds: 1,
            ledger: ScriptedLedger(),
            now: { Timestamp(millisecondsSince1970: 1060) }
        )
        func request(_ name: String, _ bundleId: String = "reader", _ evidence: Evidence? = nil) -> SignatureRequest {
            SignatureRequest(
                client: "client",
                bundleId: bundleId,
                account: .applicationUsername(name),
                evidence: evidence,
                offers: [OfferRequest(productId: "monthly", offerId: "o")]
            )
        }
        let steps = useCase.decide([
            request("0"), request("a", "unknown"), request("a"), request("b", "reader", .receiptResponse(json: [])),
            request("z"),
        ])
        var said: [String] = []
        for step in steps {
            do {
                let decided = try await step.get().value()
                said.append(try await useCase.answer(decided).decisions.map(\.decision.reason.rawValue).joined())
            } catch {
                said.append("fault")
            }
        }
        #expect(said == ["evidence_stale", "fault", "never_subscribed", "fault", "never_subscribed"])
        #expect(store.asked.withLock { $0 } == [3])
    }
}

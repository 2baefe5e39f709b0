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

        private func read(_ questions: [StateQuestion]) -> [Book] {
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
                return Book(marks: mark.map { [$0] } ?? [])
            }
        }

        func atHand(_ questions: [StateQuestion]) -> [Book]? { isAtHand ? read(questions) : nil }
        func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
            read(questions).map { .success($0) }
        }
        func learn(_ observation: Book) {}
        func save(_ notification: NotificationRecord, _ observation: Book) async -> Bool { true }
    }

    /// Digests that are the first byte of a name.
    private struct FirstByte: AccountDigester {
        func digest(of text: String, bundleId: String) -> AccountDigest { AccountDigest(Array(text.utf8.prefix(1))) }
    }

    private struct Signer: ES256Signer {
        let keyIdentifier = "TESTKEY001"

        func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
            [0x30, 6, 0x02, 1, 1, 0x02, 1, 2]
        }
    }

    @Test(
        "There is one question for all, whatever the calls, and each request is decided by its own answer",
        arguments: [true, false]
    )
    func once(isAtHand: Bool) async throws {
        let store = Store(isAtHand: isAtHand)
        let useCase = SignOffers(
            apps: [SigningApp(app: .reader, signer: Signer(), issuerId: "issuer")],
            evidenceReader: NoReader(),
            memory: StateMemory(states: store, digester: FirstByte()),
            // What Apple said at the 60th millisecond or earlier is too old.
            maximumEvidenceAgeSeconds: 1,
            ledger: ScriptedLedger(),
            now: { Timestamp(millisecondsSince1970: 1060) }
        )
        let offers = [OfferRequest(productId: "monthly", offerId: "o")]
        func signature(_ name: String, _ bundleId: String = "reader", _ evidence: Evidence? = nil) -> CustomerRequest {
            CustomerRequest.of(.signatures(offers), evidence, account: .applicationUsername(name), bundleId: bundleId)
        }
        func introductory(_ name: String) -> CustomerRequest {
            CustomerRequest.of(
                .introductorySignatures(["monthly"]),
                nil,
                account: .applicationUsername(name),
                bundleId: "reader"
            )
        }
        func eligibility(_ name: String) -> CustomerRequest {
            CustomerRequest.of(.eligibility(offers), nil, account: .applicationUsername(name), bundleId: "reader")
        }
        let requests = [
            signature("0"), signature("a", "unknown"), eligibility("a"),
            signature("b", "reader", .receiptResponse(json: [])), introductory("1"), introductory("c"),
            eligibility("2"), signature("z"),
        ]
        var said: [String] = []
        for (request, step) in zip(requests, try await useCase.customers(of: requests).value()) {
            do {
                let prepared = try await useCase.sign(useCase.decide(request, for: step).value()).value()
                let answer = useCase.release(prepared, by: [])
                said += answer.decisions.map(\.decision.reason.rawValue)
                said += answer.products.map(\.introductoryOffer.reason.rawValue)
            } catch {
                said.append("fault")
            }
        }
        let (old, new) = ("evidence_stale", "never_subscribed")
        // Of a newcomer no transaction is known that the signature could name.
        #expect(said == [old, "fault", new, "fault", old, "fault", old, new])
        #expect(store.asked.withLock { $0 } == [6])
    }
}

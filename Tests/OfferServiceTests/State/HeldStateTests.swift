import LedgerFixtures
import OfferService
import Testing

@testable import Offers

@Suite("Answering from held state")
struct HeldStateTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// Evidence at hand, whatever is sent.
    private struct Reader: EvidenceReader {
        let history: Book

        func book(from evidence: Evidence) throws(EvidenceFault) -> Book { history }
    }

    /// A store that cannot be read.
    private struct BrokenStates: SubscriptionStates {
        func atHand(_ questions: [StateQuestion]) -> [Book]? { nil }
        func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
            questions.map { _ in .failure(StorageFailure(.unavailable, "broken")) }
        }
        func learn(_ observation: Book) {}
        func save(_ notification: NotificationRecord, _ observation: Book) async throws(StorageFailure)
            -> Bool
        {
            throw StorageFailure(.unavailable, "broken")
        }
    }

    private static let down = EvidenceFault(.unavailable(retryAfterSeconds: 5), code: "down", detail: "Out of reach.")
    private static let refusal = EvidenceFault(.rejected, code: "receipt_status", detail: "Apple refuses it.")

    private let states = InMemorySubscriptionStates()

    private static func active(secondsAgo: Int64, bundleId: String = "reader") -> Book {
        .active(bundleId: bundleId, at: now, told: secondsAgo)
    }

    private func ask(
        _ evidence: Evidence?,
        _ appStore: Result<Book, EvidenceFault> = .failure(down),
        account: Account = .applicationUsername("alice"),
        atHand: Book = active(secondsAgo: 60),
        states: (any SubscriptionStates)? = nil,
        explaining rule: String? = nil,
        suspects: Set<String> = [],
        remembering isRemembered: Bool = true,
        confirming: Bool = false,
        signing: Bool = false
    ) async -> String {
        let memory = StateMemory(states: states ?? self.states, digester: HMACAccountDigester(key: [1, 2, 3]))
        let useCase = SignOffers(
            apps: [SigningApp(app: .reader, signer: TestSigner(fails: true))],
            evidenceReader: Reader(history: atHand),
            evidenceFetcher: ScriptedAppStore(answer: appStore),
            memory: isRemembered ? memory : memory.readOnly,
            maximumEvidenceAgeSeconds: 3600,
            maximumSignedTransactionAgeSeconds: 86_400,
            confirmsSignedTransactions: confirming,
            ledger: ScriptedLedger(suspects: suspects),
            now: { Self.now }
        )
        do {
            let offers = [OfferRequest(productId: "monthly", offerId: "o")]
            let request = CustomerRequest.of(
                signing ? .signatures(offers) : .eligibility(nil),
                evidence,
                account: account,
                bundleId: "reader",
                explain: rule != nil
            )
            let decisions = try await useCase.answer(request).decisions.map(\.decision)
            guard let rule else { return decisions.map(\.reason.rawValue).joined() }
            return decisions.flatMap { $0.explanation ?? [] }.first { $0.rule == rule }?.saw ?? ""
        } catch {
            switch error {
            case .evidence(let fault): return fault.code
            case .signing: return "signed"
            default: return "\(error)"
            }
        }
    }

    private let receipt = Evidence.question(.receipt(base64: "AAAA"))
    private let transaction = Evidence.question(.transactionId("1"))
    private let response = Evidence.receiptResponse(json: [])

    @Test("While Apple is down, fresh state answers, old state is stale, and without any it is a fault")
    func appleDown() async {
        #expect(await ask(receipt) == "down")
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 1800))) == "active")
        #expect(await ask(receipt) == "active")
        #expect(await ask(nil) == "active")
        #expect(await ask(receipt, account: .applicationUsername("bob")) == "down")
    }

    /// What a client shows of the same customer, signed by Apple a while ago.
    private static var signed: Book {
        var history = active(secondsAgo: 600)
        history.coverage = .partial
        return history
    }

    @Test(
        "Signed transactions make nobody eligible, and have nothing signed, before the App Store has confirmed them",
        arguments: [false, true]
    )
    func confirmed(signing: Bool) async {
        let (shown, taken) = (Evidence.signedTransactions(["jws"], renewalInfos: []), signing ? "signed" : "active")
        #expect(await ask(shown, atHand: Self.signed, signing: signing) == taken)
        #expect(await ask(shown, atHand: Self.signed, confirming: true, signing: signing) == "down")
        // Neither have they by what was learnt of them.
        #expect(await ask(nil, confirming: true, signing: signing) == "down")
        var told = Self.active(secondsAgo: 0)
        let other = HeldStateTests()
        #expect(
            await other.ask(shown, .success(told), atHand: Self.signed, confirming: true, signing: signing) == taken
        )
        told.transactions[0].revocationDate = Self.now.adding(seconds: -60)
        told.coverage = .newestTransactions
        #expect(await ask(shown, .success(told), atHand: Self.signed, confirming: true, signing: signing) == "refunded")
    }

    @Test("The App Store is not asked again of a subscription of which it spoke itself, nor for a refusal")
    func toldLately() async {
        let shown = Evidence.signedTransactions(["jws"], renewalInfos: [])
        var lapsed = Self.signed
        lapsed.transactions[0].revocationDate = Self.now.adding(seconds: -700)
        #expect(await ask(shown, atHand: lapsed, confirming: true) == "refunded")
        let told = HeldStateTests()
        #expect(await told.ask(receipt, .success(Self.active(secondsAgo: 300)), confirming: true) == "active")
        #expect(await told.ask(shown, atHand: Self.signed, confirming: true) == "active")
        #expect(await told.ask(nil, confirming: true) == "active")
        // That was too long ago.
        let old = HeldStateTests()
        #expect(await old.ask(receipt, .success(Self.active(secondsAgo: 4000)), confirming: true) == "evidence_stale")
        #expect(await old.ask(shown, atHand: Self.signed, confirming: true) == "down")
    }

    @Test("Lists without a transaction are evidence that names no subscription: what is held counts")
    func emptyLists() async {
        let empty = Evidence.signedTransactions([], renewalInfos: [])
        let nothing = Book(of: nil, in: nil, asOf: nil, [], [], .partial)
        #expect(await ask(empty, account: .none, atHand: nothing) == "no_evidence")
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 300))) == "active")
        #expect(await ask(empty, atHand: nothing) == "active")
    }

    @Test("Memory that is only looked at answers, and learns nothing")
    func readOnly() async {
        let answered = Result<Book, EvidenceFault>.success(Self.active(secondsAgo: 1800))
        #expect(await ask(receipt, answered, remembering: false) == "active")
        #expect(await ask(nil) == "no_evidence")
        #expect(await ask(receipt, answered) == "active")
        #expect(await ask(nil, remembering: false) == "active")
    }

    @Test("State that is too old is stale, and says so instead of a fault")
    func stale() async {
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 7200))) == "evidence_stale")
        #expect(await ask(receipt) == "evidence_stale")
        #expect(await ask(nil) == "evidence_stale")
    }

    @Test("An explanation says why held state answers: the request lacks evidence, or the App Store an answer")
    func explained() async {
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 1800))) == "active")
        #expect(
            await ask(nil, explaining: "evidence").hasPrefix("No evidence was sent; Apple last spoke of the account at")
        )
        #expect(
            await ask(receipt, explaining: "evidence").hasPrefix(
                "The App Store could not be asked; Apple last spoke of the account at"
            )
        )
        #expect(await ask(receipt, explaining: "evidenceAge").hasPrefix("The state held of the subscription is of "))
    }

    @Test("Held state does not answer where the catalog lacks the question's settings")
    func unsupported() async {
        let unsupported = EvidenceFault(.unsupported, code: "not_supported", detail: "The issuerId is missing.")
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 60))) == "active")
        #expect(await ask(transaction, .failure(unsupported)) == "not_supported")
    }

    @Test("A refusal of Apple's counts, beside any held state")
    func refused() async {
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 60))) == "active")
        #expect(await ask(receipt, .failure(Self.refusal)) == "receipt_status")
    }

    @Test("The subscription asked about answers for itself, also without an account")
    func byTransaction() async {
        #expect(await ask(transaction, .success(Self.active(secondsAgo: 60)), account: .none) == "active")
        #expect(await ask(transaction, account: .none) == "active")
        #expect(await ask(.question(.transactionId("2")), account: .none) == "down")
        #expect(await ask(receipt, account: .none) == "down")
    }

    @Test("What is held is older than a purchase made just now, and does not answer for it")
    func newTransaction() async {
        #expect(await ask(transaction, .success(Self.active(secondsAgo: 60))) == "active")
        #expect(await ask(transaction) == "active")
        #expect(await ask(.question(.transactionId("1", isNew: true))) == "down")
    }

    private let signed = Evidence.signedTransactions([], renewalInfos: [])

    @Test("Nothing is learnt from evidence of another app")
    func otherApp() async {
        #expect(await ask(signed, atHand: Self.active(secondsAgo: 60, bundleId: "other")) == "bundle_mismatch")
        #expect(await ask(nil) == "no_evidence")
        #expect(await ask(signed) == "active")
        #expect(await ask(nil) == "active")
    }

    @Test("Nothing is learnt from evidence dated ahead of the clock")
    func future() async {
        #expect(await ask(signed, atHand: Self.active(secondsAgo: -301)) == "evidence_in_future")
        #expect(await ask(nil) == "no_evidence")
    }

    @Test("A client's own words count for their request, beside a refund that Apple reported since, and leave no state")
    func ownWords() async {
        #expect(await ask(response) == "active")
        #expect(await ask(nil) == "no_evidence")
        #expect(await ask(receipt) == "down")
        var refunded = Self.active(secondsAgo: 30)
        refunded.transactions[0].revocationDate = Self.now.adding(seconds: -40)
        #expect(await ask(receipt, .success(refunded)) == "refunded")
        #expect(await ask(response) == "refunded")
        #expect(await ask(nil) == "refunded")
    }

    @Test("Of evidence that was refused as shared, no other customer is remembered; Apple's facts are")
    func suspect() async {
        #expect(await ask(signed, suspects: ["1"]) == "active")
        #expect(await ask(nil) == "no_evidence")
        #expect(await ask(transaction, account: .none) == "active")
        #expect(await ask(signed) == "active")
        #expect(await ask(nil) == "active")
    }

    @Test("Where state cannot be read nothing is decided: a refund since the evidence would go unseen")
    func broken() async {
        #expect(await ask(response, states: BrokenStates()) == "state_unavailable")
        #expect(await ask(nil, states: BrokenStates()) == "state_unavailable")
        #expect(await ask(receipt, states: BrokenStates()) == "down")
    }

    @Test("State of a subscription that signed transactions do not name is as old as state may be")
    func besideSigned() async {
        var other = Self.active(secondsAgo: 7300)
        other.coverage = .partial
        let own = other
        let (start, end) = (Self.now.adding(seconds: -900_000), Self.now.adding(seconds: -90_000))
        other.transactions[0] = Transaction("2", from: start, until: end)
        other.renewals = []
        #expect(await ask(signed, account: .applicationUsername("bob"), atHand: other) == "lapsed")
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 7200))) == "evidence_stale")
        #expect(await ask(signed, atHand: other) == "evidence_stale")
        #expect(await ask(signed, atHand: own) == "active")
        #expect(await ask(receipt, .success(Self.active(secondsAgo: 60))) == "active")
        #expect(await ask(signed, atHand: other) == "active")
    }
}

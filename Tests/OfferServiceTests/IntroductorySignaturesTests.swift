import AppStore
import LedgerFixtures
import OfferService
import Testing

@testable import Offers

@Suite("Introductory offers, decided and signed")
struct IntroductorySignaturesTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let signer = KeySigner()

    private func useCase(
        issuerId: String? = "issuer",
        _ ledger: ScriptedLedger = ScriptedLedger(),
        asking fetcher: (any EvidenceFetcher)? = nil,
        remembering memory: StateMemory? = nil
    ) -> SignOffers {
        let groups = [("1", "monthly"), ("2", "news")].map { id, product in
            SubscriptionGroup(id: id, products: [Product(id: product)])
        }
        let now = now
        return SignOffers(
            apps: [
                SigningApp(
                    app: App(bundleId: "com.example.reader", subscriptionGroups: groups),
                    signer: signer,
                    issuerId: issuerId
                )
            ],
            evidenceReader: AppStoreEvidenceReader(),
            evidenceFetcher: fetcher,
            memory: memory,
            maximumEvidenceAgeSeconds: 86400,
            ledger: ledger,
            now: { now }
        )
    }

    private func answer(
        _ evidence: Evidence?,
        _ products: [String],
        transactionId: String? = nil,
        allow: Bool = true,
        issuerId: String? = "issuer"
    ) async throws -> [ProductAnswer] {
        try await useCase(issuerId: issuerId).answer(
            CustomerRequest.of(
                .introductorySignatures(products, transactionId: transactionId, allowing: allow),
                evidence,
                account: evidence == nil ? .applicationUsername("alice") : .none
            )
        ).products
    }

    private func claims(_ product: ProductAnswer) throws -> [String: any Sendable] {
        try signer.claims(try #require(product.jws).compact)
    }

    /// Used the trial of group 1, which has lapsed, and knows nothing of group 2.
    private var former: Evidence {
        ReceiptResponse(
            purchases: [.init(id: "11", daysAgo: 100, isTrial: true), .init(id: "12", daysAgo: 70)],
            renewals: ["monthly"],
            now: now
        ).evidence
    }

    private var stale: Evidence {
        ReceiptResponse(
            purchases: [.init(id: "12", product: "news", daysAgo: 70)],
            renewals: ["news"],
            now: now.adding(seconds: -86401)
        ).evidence
    }

    @Test("The decision is signed for each product, with a transaction of the customer")
    func verdicts() async throws {
        let products = try await answer(former, ["news", "monthly", "nope"])
        #expect(products.map(\.introductoryOffer.reason) == [.neverUsed, .alreadyUsed, .groupUnknown])
        let (news, monthly) = (try claims(products[0]), try claims(products[1]))
        #expect(news["allowIntroductoryOffer"] as? Bool == true)
        #expect(monthly["allowIntroductoryOffer"] as? Bool == false)
        // Group 2 has no transaction: any other of the customer does.
        #expect([news, monthly].map { $0["transactionId"] as? String } == ["12", "12"])
        #expect([news, monthly].map { $0["productId"] as? String } == ["news", "monthly"])
        #expect(news["aud"] as? String == "introductory-offer-eligibility")
        #expect(news["exp"] == nil)
        #expect(products[0].jws?.nonce != products[1].jws?.nonce)
        #expect(products[2].jws == nil)
    }

    @Test("An unknown decision is never signed, with any transaction of the client's")
    func unknown() async throws {
        let products = try await answer(stale, ["monthly", "news"], transactionId: "12")
        #expect(products.allSatisfy { $0.introductoryOffer.verdict == .unknown && $0.jws == nil })
    }

    @Test("A client's refusal is signed for every product of the catalog, with any verdict")
    func stricter() async throws {
        let products = try await answer(former, ["news", "monthly", "nope"], allow: false)
        #expect(products.map { $0.jws?.allowIntroductoryOffer } == [false, false, nil])
        #expect(products[0].introductoryOffer.verdict == .eligible)
        #expect(try claims(products[0])["allowIntroductoryOffer"] as? Bool == false)
        let unknown = try await answer(stale, ["news", "nope"], transactionId: "12", allow: false)
        #expect(unknown.map { $0.jws?.allowIntroductoryOffer } == [false, nil])
        #expect(unknown[0].jws?.transactionId == "12")
    }

    @Test("A transaction that is not known to be the customer's is refused, also where nothing would be signed")
    func foreignTransaction() async throws {
        let newcomer = ReceiptResponse(now: now).evidence
        for evidence in [former, newcomer, stale, nil] {
            for (products, allow) in [(["news"], true), (["nope"], true), (["news"], false)] {
                await #expect(throws: SignatureFault.transactionMismatch) {
                    try await answer(evidence, products, transactionId: "7042", allow: allow)
                }
            }
        }
    }

    /// What the App Store says of a customer who has the purchases, all of them lapsed.
    private func history(_ transactions: [Transaction]) -> Book {
        let renewals = transactions.map { transaction in
            RenewalInfo(
                originalTransactionId: transaction.originalTransactionId,
                productId: transaction.productId,
                autoRenewStatus: false,
                hasExpirationIntent: true
            )
        }
        return Book(of: "com.example.reader", asOf: now, renewals, transactions)
    }

    private func lapsed(_ id: String, of originalId: String, download: String) -> Transaction {
        let (start, end) = (now.adding(days: -90), now.adding(days: -60))
        var transaction = Transaction(originalId, from: start, until: end, called: id)
        transaction.appTransactionId = download
        return transaction
    }

    private func refusal(
        _ useCase: SignOffers,
        _ evidence: Evidence?,
        of account: Account = .none,
        naming transactionId: String
    ) async throws -> ProductAnswer {
        let request = CustomerRequest.of(
            .introductorySignatures(["monthly"], transactionId: transactionId, allowing: false),
            evidence,
            account: account
        )
        return try #require(try await useCase.answer(request).products.first)
    }

    @Test("A transaction is the customer's by each of its identifiers, and so is the download that was asked about")
    func identifiers() async throws {
        let purchase = lapsed("12", of: "10", download: "704")
        let customer = useCase(asking: ScriptedAppStore(answer: .success(history([purchase]))))
        for id in ["12", "10", "704"] {
            let signed = try await refusal(customer, .question(.transactionId("12")), naming: id)
            #expect(try claims(signed)["transactionId"] as? String == id)
        }
        await #expect(throws: SignatureFault.transactionMismatch) {
            try await refusal(customer, .question(.transactionId("12")), naming: "7042")
        }
        // A purchase of which no entry speaks.
        var bare = history([purchase])
        bare.renewals = []
        let signedBare = try await refusal(
            useCase(asking: ScriptedAppStore(answer: .success(bare))),
            .question(.transactionId("12")),
            naming: "10"
        )
        #expect(try claims(signedBare)["transactionId"] as? String == "10")
        // Somebody new has no transaction but the download's.
        let newcomer = useCase(asking: ScriptedAppStore(answer: .success(history([]))))
        let signed = try await refusal(newcomer, .question(.transactionId("704")), naming: "704")
        #expect(try claims(signed)["transactionId"] as? String == "704")
        await #expect(throws: SignatureFault.transactionMismatch) {
            try await refusal(newcomer, .question(.transactionId("704")), naming: "12")
        }
    }

    @Test("A held transaction of the account is the customer's, without evidence, and no other account's")
    func heldTransaction() async throws {
        let memory = StateMemory(states: InMemorySubscriptionStates(), digester: HMACAccountDigester(key: [1, 2, 3]))
        let useCase = useCase(
            asking: ScriptedAppStore(answer: .success(history([lapsed("12", of: "10", download: "704")]))),
            remembering: memory
        )
        let (alice, bob) = (Account.applicationUsername("alice"), Account.applicationUsername("bob"))
        _ = try await refusal(useCase, .question(.transactionId("12")), of: alice, naming: "12")
        #expect(try await refusal(useCase, nil, of: alice, naming: "12").jws?.transactionId == "12")
        for (account, id) in [(alice, "7042"), (bob, "12")] {
            await #expect(throws: SignatureFault.transactionMismatch) {
                try await refusal(useCase, nil, of: account, naming: id)
            }
        }
    }

    /// The evidence of a former customer, but of another app, environment or account.
    private var foreign: [Evidence] {
        guard case .receiptResponse(let json) = former else { return [] }
        let text = String(decoding: json.bytes, as: UTF8.self)
        let trial = #""is_trial_period":"#
        return [
            ("com.example.reader", "com.example.other"), ("Production", "Sandbox"),
            (trial, #""app_account_token":"7e3fb20b-4cdb-47cc-936d-99d65f608138","# + trial),
        ].map { given, other in .receiptResponse(json: Array(text.replacing(given, with: other).utf8)) }
    }

    @Test("A transaction of evidence about another app, environment or account is not this customer's")
    func transactionOfOthers() async throws {
        #expect(try await answer(former, ["news"], transactionId: "12")[0].jws?.transactionId == "12")
        #expect(foreign.count == 3)
        for (evidence, words) in zip(foreign, ["com.example.other", "Sandbox", "appAccountToken"]) {
            for transactionId in ["12", nil] {
                let fault = await #expect(throws: SignatureFault.self) {
                    try await answer(evidence, ["news"], transactionId: transactionId, allow: false)
                }
                guard case .evidenceOfOthers(let detail) = fault else {
                    Issue.record("\(String(describing: fault))")
                    continue
                }
                #expect(detail.contains(words))
            }
        }
    }

    @Test("The client's transaction goes before the evidence's newest; without any there is no answer")
    func transaction() async throws {
        #expect(try await claims(answer(former, ["news"], transactionId: "11")[0])["transactionId"] as? String == "11")
        let newcomer = ReceiptResponse(now: now).evidence
        await #expect(throws: SignatureFault.transactionRequired) { try await answer(newcomer, ["news"]) }
        // Evidence that is too old names the customer all the same.
        let refusal = try await answer(stale, ["news"], allow: false)[0]
        #expect(refusal.introductoryOffer.reason == .evidenceStale)
        #expect(refusal.jws?.transactionId == "12")
        #expect(refusal.jws?.allowIntroductoryOffer == false)
        #expect(try await answer(stale, ["news"])[0].jws == nil)
    }

    @Test("Every signature has a grant in the ledger's entry, and none leaves that the ledger did not take")
    func ledger() async throws {
        let request = CustomerRequest.of(.introductorySignatures(["news", "monthly", "nope"]), former)
        let ledger = ScriptedLedger()
        let useCase = useCase(ledger)
        #expect(try await useCase.answer(request).products.map { $0.jws != nil } == [true, true, false])
        let grants = ledger.entries.flatMap(\.grants)
        #expect(grants.map(\.offer.productId) == ["news", "monthly"])
        #expect(grants.flatMap(\.signatures).map(\.form) == [.introductoryAllowed, .introductoryRefused])
        let prepared = try await useCase.sign(useCase.decide(request).value()).value()
        for (outcomes, first) in [
            ([], false), ([.recorded], true), ([.recorded, .signatureLimit(count: 1)], true),
        ] as [([GrantOutcome], Bool)] {
            let released = useCase.release(prepared, by: outcomes)
            #expect(released.products.map { $0.jws != nil } == [first, false, false])
            #expect(released.products.map(\.introductoryOffer.reason) == [.neverUsed, .alreadyUsed, .groupUnknown])
        }
        let failure = StorageFailure(.refused, "full")
        await #expect(throws: SignatureFault.ledger(failure)) {
            try await self.useCase(ScriptedLedger(failure: failure)).answer(request)
        }
    }

    @Test("Without the issuer of the key nothing is decided")
    func issuer() async {
        await #expect(throws: SignatureFault.issuerUnknown(bundleId: "com.example.reader")) {
            try await answer(former, ["news"], issuerId: nil)
        }
    }
}

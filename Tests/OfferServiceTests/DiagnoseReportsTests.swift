import Crypto
import Foundation
import LedgerFixtures
import Testing

@testable import OfferService
@testable import Offers

@Suite("A customer's held state, in a diagnosis")
struct DiagnoseReportsTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let alice = Account.applicationUsername("alice")
    private let key = P256.Signing.PrivateKey()

    /// Alice subscribes to group 1 of it.
    private let app = App(
        bundleId: "reader",
        subscriptionGroups: [
            SubscriptionGroup(id: "1", products: [Product(id: "monthly", offers: [PromotionalOffer(id: "stay")])]),
            SubscriptionGroup(
                id: "2",
                products: [
                    Product(
                        id: "audio",
                        offers: [PromotionalOffer(id: "anywhere") { $0.scope = .app }, PromotionalOffer(id: "here")]
                    )
                ]
            ),
        ]
    )

    /// The report of a signature that is right for the values, but for those of another app.
    private func report(
        _ productId: String = "monthly",
        _ offerId: String = "stay",
        account: Account = .none,
        keyIdentifier: String = "KEY0",
        timestamp: Int64 = now.millisecondsSince1970,
        signedFor signed: (bundleId: String, keyIdentifier: String) = ("reader", "KEY0")
    ) throws -> SignatureReport {
        let nonce = "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c"
        let fields = [signed.bundleId, signed.keyIdentifier, productId, offerId, account.payloadField, nonce]
        let payload = (fields + [String(timestamp)]).joined(separator: "\u{2063}")
        return SignatureReport(
            bundleId: "reader",
            keyIdentifier: keyIdentifier,
            productId: productId,
            offerId: offerId,
            account: account,
            nonce: nonce,
            timestamp: timestamp,
            signature: try key.signature(for: Data(payload.utf8)).derRepresentation.base64EncodedString()
        )
    }

    /// What a report of a right signature gets.
    private func diagnose(
        _ productId: String,
        _ offerId: String,
        account: Account = alice,
        history: Book = .active(at: now, told: 60),
        timestamp: Int64 = now.millisecondsSince1970
    ) async throws -> [DiagnosisCause] {
        let memory = StateMemory(states: InMemorySubscriptionStates(), digester: HMACAccountDigester(key: [1, 2, 3]))
        memory.learn(history, from: .appStore, for: Self.alice, of: app, beside: Book(), at: Self.now)
        let verifier = try key.verifier("KEY0")
        let report = try report(productId, offerId, account: account, timestamp: timestamp)
        let useCase = DiagnoseReports(
            apps: [DiagnosableApp(app: app, verifiers: [verifier])],
            memory: memory,
            now: { Self.now }
        )
        return try #require(await useCase.diagnose(report, callersApps: ["reader"])).causes
    }

    @Test("A subscriber of another group never subscribed for an offer of the group, and did for one of the app")
    func scope() async throws {
        #expect(try await diagnose("monthly", "stay").isEmpty)
        #expect(try await diagnose("audio", "anywhere").isEmpty)
        let here = try await diagnose("audio", "here")
        #expect(here.map(\.code) == [.neverSubscribed])
        #expect(here.first?.detail == "The customer never had a subscription of group 2.")
        #expect(try await diagnose("audio", "gone").map(\.code) == [.offerNotInCatalog])
        #expect(try await diagnose("audio", "here", account: .applicationUsername("bob")).isEmpty)

        let later = Self.now.millisecondsSince1970 / 1000 + 86_400
        let ahead = try await diagnose("audio", "here", timestamp: later).map(\.code)
        #expect(ahead == [.timestampInSeconds, .timestampInFuture], "the evidence is a day older")
    }

    @Test("A customer without subscriptions never subscribed for any offer")
    func newcomer() async throws {
        let nothing = Book(of: "reader", asOf: Self.now.adding(seconds: -60), [], [])
        for offerId in ["anywhere", "gone"] {
            let causes = try await diagnose("audio", offerId, history: nothing)
            #expect(causes.last?.code == .neverSubscribed)
            #expect(causes.last?.detail == "The customer never had a subscription of the app.")
        }
    }

    /// A ledger that has one signature.
    private struct Recall: SignatureRecall {
        let record: RecordedSignature

        func signature(nonce: String, accounts: [Account]) async -> RecordedSignature? { record }
    }

    @Test("A record helps every client that may ask about its app, and no other")
    func record() async throws {
        func codes(of bundleId: String) async throws -> [DiagnosisCode] {
            let record = RecordedSignature(
                bundleId: bundleId,
                keyIdentifier: "KEY0",
                productId: "audio",
                offerId: "stay",
                account: .none,
                timestamp: Self.now
            )
            let useCase = DiagnoseReports(
                apps: [DiagnosableApp(app: app, verifiers: [])],
                recalling: Recall(record: record),
                now: { Self.now }
            )
            let diagnosis = await useCase.diagnose(try report(), callersApps: ["reader"])
            return try #require(diagnosis).causes.map(\.code)
        }
        #expect(try await !codes(of: "other").contains(.productMismatch))
        #expect(try await codes(of: "reader").contains(.productMismatch))
    }

    @Test("A signature for another of the caller's apps is recognised by its key; no other client's keys are tried")
    func otherApps() async throws {
        let useCase = DiagnoseReports(
            apps: [
                DiagnosableApp(app: app, verifiers: [try P256.Signing.PrivateKey().verifier("KEY0")]),
                DiagnosableApp(
                    app: App(bundleId: "other", subscriptionGroups: []),
                    verifiers: [try key.verifier("KEY1")]
                ),
            ],
            now: { Self.now }
        )
        for (keyIdentifier, offerId) in [("KEY0", "stay"), ("KEY1", "stay"), ("KEY0", "gone")] {
            let report = try report("monthly", offerId, keyIdentifier: keyIdentifier, signedFor: ("other", "KEY1"))
            let own = await useCase.diagnose(report, callersApps: ["reader", "other"])
            // Neither of the apps has the other offer.
            let unlisted = offerId == "gone" ? [DiagnosisCode.offerNotInCatalog] : []
            #expect(own?.causes.map(\.code) == [.bundleMismatch] + unlisted)
            let foreign = await useCase.diagnose(report, callersApps: ["reader"])
            #expect(foreign?.causes.map(\.code) == unlisted + [.unexplained])
        }
    }

    @Test("An app whose bundle id only Unicode takes for the caller's is not the caller's")
    func bytes() async {
        let app = DiagnosableApp(app: App(bundleId: "Key", subscriptionGroups: []), verifiers: [])
        let useCase = DiagnoseReports(apps: [app], now: { Self.now })
        for (bundleId, isOwn) in [("Key", true), ("\u{212A}ey", false)] {
            let report = SignatureReport(
                bundleId: bundleId,
                keyIdentifier: "KEY0",
                productId: "monthly",
                offerId: "stay",
                account: .none,
                nonce: "",
                timestamp: 0,
                signature: ""
            )
            #expect((await useCase.diagnose(report, callersApps: ["Key"]) != nil) == isOwn)
        }
    }

    @Test("Held state shows that two transactions are one customer's, and nothing is said of another's")
    func oneCustomer() async throws {
        let memory = StateMemory(states: InMemorySubscriptionStates(), digester: HMACAccountDigester(key: [1, 2, 3]))
        func learn(_ transactionId: String, after previous: String? = nil, for account: Account) {
            let (start, end) = (Self.now.adding(days: -10), Self.now.adding(days: 20))
            var transaction = Transaction(transactionId, in: "1", from: start, until: end)
            transaction.appTransactionId = "app-\(transactionId)"
            transaction.previousOriginalTransactionId = previous
            let history = Book(of: "reader", asOf: Self.now.adding(seconds: -60), [], [transaction])
            memory.learn(history, from: .appStore, for: account, of: app, beside: Book(), at: Self.now)
        }
        learn("1", for: Self.alice)
        learn("2", for: Self.alice)
        learn("3", for: .applicationUsername("bob"))
        learn("4", after: "1", for: .applicationUsername("carol"))
        let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
        let verifier = try key.verifier("KEY0")
        let known = DiagnosableApp(app: app, verifiers: [verifier], issuerIds: ["KEY0": issuerId])
        let useCase = DiagnoseReports(apps: [known], memory: memory, now: { Self.now })
        let claims = #"""
            {"iss":"\#(issuerId)","iat":\#(Self.now.millisecondsSince1970 / 1000),"aud":"promotional-offer","bid":"reader",
            "nonce":"0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c","productId":"monthly","offerIdentifier":"stay",
            "transactionId":"1"}
            """#
        func base64URL(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let text =
            base64URL(Data(#"{"alg":"ES256","kid":"KEY0","typ":"JWT"}"#.utf8)) + "." + base64URL(Data(claims.utf8))
        let jws = try text + "." + base64URL(key.signature(for: Data(text.utf8)).rawRepresentation)
        func codes(_ transactionId: String, account: Account = .none) async throws -> [DiagnosisCode] {
            let report = JWSReport(
                bundleId: "reader",
                productId: "monthly",
                offerId: "stay",
                account: account,
                jws: jws,
                transactionId: transactionId
            )
            return try #require(try await useCase.diagnose(report, callersApps: ["reader"])).causes.map(\.code)
        }
        #expect(try await codes("1").isEmpty)
        #expect(try await codes("2").isEmpty)
        #expect(try await codes("app-1", account: Self.alice).isEmpty)
        #expect(try await codes("4").isEmpty, "by the identifier that the subscription had before")
        #expect(try await codes("3") == [.transactionMismatch])
        #expect(try await codes("9") == [.transactionMismatch])
        #expect(try await codes("9", account: Self.alice).isEmpty)
    }
}

import LedgerFixtures
import Offers
import SignedDataFixtures
import Testing

@testable import AppStore

@Suite("Asking the App Store Server API")
struct ServerAPIClientTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private let answers: SignedAnswers

    init() throws { answers = try SignedAnswers() }

    private func ask(
        _ replies: [SignedAnswers.Reply],
        _ question: AppStoreQuestion = .transactionId("7"),
        appAppleId: Int64? = nil,
        hasCredentials: Bool = true,
        environments: Set<AppStoreEnvironment> = [.production, .sandbox],
        bundleId: String = "b"
    ) async -> (outcome: Result<Book, EvidenceFault>, requests: [OutgoingRequest]) {
        let transport = ScriptedTransport(replies)
        let fetcher = AppStoreEvidenceFetcher(
            [
                AppStoreApp(
                    bundleId: bundleId,
                    appAppleId: appAppleId,
                    environments: environments,
                    serverAPI: hasCredentials ? SignedAnswers.credentials : nil,
                    looksReceiptsUpAtServerAPI: true
                )
            ],
            over: transport,
            verifier: answers.verifier
        )
        do throws(EvidenceFault) {
            return (.success(try await fetcher.history(answering: question, for: bundleId)), transport.requests)
        } catch {
            return (.failure(error), transport.requests)
        }
    }

    private func answer(
        status: Int = 1,
        by signer: TestSigner? = nil,
        transaction: String? = nil,
        environment: String = "Production",
        hasRenewalInfo: Bool = true
    ) throws -> SignedAnswers.Reply {
        let signer = signer ?? answers.signer
        let renewal = #"""
            {"originalTransactionId":"1","autoRenewProductId":"p","productId":"p","autoRenewStatus":0,
            "environment":"\#(environment)","signedDate":1795262300000}
            """#
        let info = hasRenewalInfo ? #","signedRenewalInfo":"\#(try signer.sign(renewal))""# : ""
        let signed = try signer.sign(transaction ?? SignedAnswers.transaction(7, environment: environment))
        return SignedAnswers.statuses(status, signed, environment: environment, info)
    }

    @Test("The statuses of all groups are asked for by the transaction, with a token")
    func request() async throws {
        let (outcome, requests) = await ask([try answer()])
        let history = try outcome.get()
        #expect(history.coverage == .newestTransactions)
        #expect(history.bundleId == "b")
        #expect(history.environment == .production)
        #expect(history.asOf == Self.now)
        #expect(history.transactions.map(\.productId) == ["p"])
        #expect(history.renewals?.map(\.autoRenewStatus) == [false])
        #expect(requests.map(\.url) == ["production/inApps/v1/subscriptions/7"])
        #expect(requests.first?.method == .get)
        #expect(requests.first?.bearerToken?.split(separator: ".").count == 3)
    }

    @Test("A receipt is asked about by a transaction in it")
    func receipt() async throws {
        let receipt = AppStoreQuestion.receipt(base64: ReceiptTransactionTests.indefinite)
        let (outcome, requests) = await ask([try answer()], receipt, bundleId: "com.example.reader")
        #expect(outcome.code == nil)
        #expect(requests.map(\.url) == ["production/inApps/v1/subscriptions/2000000000000001"])
        let others = await ask([], receipt)
        #expect(others.outcome.code == "receipt_of_other_app")
        #expect(others.requests.isEmpty)
        let garbage = await ask([], .receipt(base64: "AAAA"))
        #expect(garbage.outcome.code == "receipt_malformed")
        #expect(garbage.requests.isEmpty)
    }

    @Test("A customer without subscriptions has a history that says so")
    func none() async throws {
        let empty = #"{"environment":"Sandbox","bundleId":"b","data":[]}"#
        let history = try await ask([SignedAnswers.error(4_040_010, status: 404), .reply(empty)]).outcome.get()
        #expect(history.renewals?.isEmpty == true)
        #expect(history.environment == .sandbox)
        #expect(history.bundleId == "b")
        #expect(history.coverage == .newestTransactions)
    }

    @Test("A revoked subscription says so by its status, or by its transaction's date where no renewal info keeps that")
    func revoked() async throws {
        let history = try await ask([try answer(status: 5)]).outcome.get()
        #expect(history.renewals?.map(\.status?.code) == [.revoked])
        let dated = SignedAnswers.transaction(7).replacing(#""type""#, with: #""revocationDate":1795100000000,"type""#)
        let answered = try await ask([try answer(status: 5, transaction: dated)]).outcome.get()
        #expect(answered.transactions.map(\.revocationDate) == [Timestamp(millisecondsSince1970: 1_795_100_000_000)])
        #expect(history.transactions.map(\.revocationDate) == [nil])
        let alone = try await ask([try answer(status: 5, hasRenewalInfo: false)]).outcome.get()
        #expect(alone.transactions.map(\.revocationDate) == [Self.now])
    }

    @Test("Apple's status comes with the subscription, as of the question; from a number that is none nothing follows")
    func status() async throws {
        for status in 1...5 {
            let history = try await ask([try answer(status: status)]).outcome.get()
            #expect(history.renewals?.map(\.status?.code.rawValue) == [Int64(status)])
            #expect(history.renewals?.map(\.status?.asOf) == [Self.now])
        }
        #expect(try await ask([try answer(status: 9)]).outcome.get().renewals?.map(\.status?.code) == [.unknown])
    }

    @Test("An answer without subscriptions is refused, and makes no customer a newcomer")
    func noData() async throws {
        let silent = SignedAnswers.Reply.reply(#"{"environment":"Production","bundleId":"b"}"#)
        #expect(await ask([silent, silent, silent]).outcome.code == "app_store_unavailable")
        #expect(await ask([silent, try answer()]).outcome.code == nil)
    }

    @Test("A transaction that production does not know is asked about in the Sandbox, once")
    func sandbox() async throws {
        let found = await ask([SignedAnswers.error(4_040_010, status: 404), try answer(environment: "Sandbox")])
        #expect(found.requests.map(\.url) == ["production", "sandbox"].map { $0 + "/inApps/v1/subscriptions/7" })
        #expect(try found.outcome.get().environment == .sandbox)
        // The second is said of an appTransactionId.
        for code in [4_040_010, 4_040_019] {
            let unknown = await ask([SignedAnswers.error(code, status: 404), SignedAnswers.error(code, status: 404)])
            #expect(unknown.requests.count == 2)
            #expect(unknown.outcome.code == "transaction_not_found")
        }
    }

    @Test("A transaction that was bought just now and that neither environment knows may be asked for again")
    func newTransaction() async throws {
        let new = AppStoreQuestion.transactionId("7", isNew: true)
        let unknown = SignedAnswers.error(4_040_010, status: 404)
        let fault = await #expect(throws: EvidenceFault.self) { try await ask([unknown, unknown], new).outcome.get() }
        #expect(fault?.kind == .unavailable(retryAfterSeconds: 30))
        #expect(fault?.code == "app_store_unavailable")
        #expect(fault?.detail.contains("does not know the transaction yet") == true)
        #expect(await ask([unknown, try answer(environment: "Sandbox")], new).outcome.code == nil)
        // Time makes no transaction of these.
        for code in [4_000_006, 4_040_001, 4_040_005] {
            let result = await ask([unknown, SignedAnswers.error(code, status: 404)], new)
            #expect(result.outcome.code == "transaction_not_found")
        }
    }

    @Test(
        "Errors are asked again, refused or our own, as Apple's code says",
        arguments: [
            (4_000_006, 400, 1, "transaction_not_found"), (4_040_001, 404, 1, "transaction_not_found"),
            (4_040_005, 404, 1, "transaction_not_found"), (4_040_002, 404, 2, nil), (4_040_004, 404, 2, nil),
            (4_040_006, 404, 2, nil), (5_000_000, 500, 2, nil), (5_000_001, 500, 2, nil), (0, 503, 2, nil),
            (4_040_003, 404, 1, "app_not_found"), (4_000_185, 400, 1, "transaction_family_shared"),
            (4_000_000, 400, 1, "app_store_unavailable"),
            (4_040_099, 404, 1, "app_store_unavailable"), (0, 204, 1, "app_store_unavailable"),
            (0, 302, 1, "app_store_unavailable"), (0, 404, 1, "app_store_unavailable"),
            (4_010_000, 401, 1, "app_store_credentials"), (4_290_000, 429, 1, "app_store_unavailable"),
        ] as [(Int, Int, Int, String?)]
    )
    func errors(code: Int, status: Int, requests: Int, fault: String?) async throws {
        let error: SignedAnswers.Reply =
            code == 0 ? .reply("<html>", status: status) : SignedAnswers.error(code, status: status)
        let result = await ask([error, try answer()])
        #expect(result.requests.count == requests)
        #expect(result.outcome.code == fault)
    }

    @Test("A 401 that is no JSON is our own fault: 503, not the customer's")
    func unreleased() async throws {
        let refusal = SignedAnswers.Reply.reply("Unauthenticated\n\nRequest ID: 1", status: 401)
        let result = await ask([refusal], environments: [.production])
        #expect(result.requests.count == 1)
        let fault = #expect(throws: EvidenceFault.self) { try result.outcome.get() }
        #expect(fault?.kind == .unavailable(retryAfterSeconds: 60))
    }

    @Test("A token that Apple refuses while its clock is another names the clock, once it has said so again")
    func wrongClock() async throws {
        for (seconds, code) in [(-301, "clock_wrong"), (301, "clock_wrong"), (300, "app_store_credentials")] {
            let date = Timestamp.testNow.adding(seconds: Int64(seconds))
            let refusal = SignedAnswers.Reply.reply(
                #"{"errorCode":4010000,"errorMessage":"m"}"#,
                status: 401,
                date: date
            )
            #expect(await ask([refusal, refusal, refusal]).outcome.code == code)
            // One server of Apple's with a wrong clock refuses nobody.
            if seconds != 300 { #expect(await ask([refusal, try answer()]).outcome.code == nil) }
        }
    }

    @Test("An unreleased app is known in the Sandbox alone; a key that neither environment takes is the wrong one")
    func unreleasedInSandbox() async throws {
        let refusal = SignedAnswers.Reply.reply("Unauthenticated", status: 401)
        let known = await ask([refusal, try answer(environment: "Sandbox")])
        #expect(known.requests.map(\.environment) == [.production, .sandbox])
        #expect(known.outcome.code == nil)
        for second in [refusal, SignedAnswers.error(4_040_010, status: 404)] {
            let refused = await ask([refusal, second])
            #expect(refused.requests.count == 2)
            #expect(refused.outcome.code == "app_store_credentials")
        }
        // Words of the API's own say that it knows the app.
        let answered = await ask([SignedAnswers.error(4_010_000, status: 401), try answer()])
        #expect(answered.requests.count == 1)
    }

    @Test("Without an issuer in the catalog the call is not supported, and Apple is not asked")
    func noIssuer() async throws {
        let result = await ask([try answer()], hasCredentials: false)
        let fault = #expect(throws: EvidenceFault.self) { try result.outcome.get() }
        #expect(fault?.kind == .unsupported)
        #expect(fault?.code == "not_supported")
        #expect(fault?.detail.contains("issuerId") == true)
        #expect(result.requests.isEmpty)
    }

    @Test(
        "Apple's Retry-After, milliseconds since 1970, is passed on in seconds",
        arguments: [(4_290_000, 429), (5_000_000, 503)]
    )
    func retryAfter(code: Int, status: Int) async {
        let reply = SignedAnswers.error(code, status: status, retryAfter: "1795262430000")
        let result = await ask([reply, reply, reply])
        let fault = #expect(throws: EvidenceFault.self) { try result.outcome.get() }
        #expect(fault?.kind == .unavailable(retryAfterSeconds: 30))
    }

    @Test("An answer whose signed data is not genuine, or of another app, is no answer")
    func forged() async throws {
        let stranger = try TestAuthority().signer()
        for reply in [
            try answer(by: stranger), try answer(transaction: SignedAnswers.transaction(7, of: "c")),
            try answer(transaction: SignedAnswers.transaction(7, environment: "Sandbox")),
        ] {
            let result = await ask([reply])
            #expect(result.outcome.code == "app_store_unavailable")
        }
    }

    @Test("In production the app's Apple ID is compared, where the catalog has it")
    func appAppleId() async throws {
        #expect(await ask([try answer()], appAppleId: 42).outcome.code == nil)
        let other = await ask([try answer()], appAppleId: 43).outcome
        #expect(other == .failure(.otherAppAppleId) && other.code == "app_store_credentials")
        let sandbox = [SignedAnswers.error(4_040_010, status: 404), try answer(environment: "Sandbox")]
        #expect(await ask(sandbox, appAppleId: 43).outcome.code == nil)
    }
}

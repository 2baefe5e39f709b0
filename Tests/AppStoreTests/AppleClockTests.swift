import Offers
import SignedDataFixtures
import Synchronization
import Testing

@testable import AppStore

@Suite("Readings of Apple's clock")
struct AppleClockTests {
    /// Keeps every observation.
    private final class Listener: AppleClock {
        private let heard = Mutex<[AppleDate]>([])
        var dates: [AppleDate] { heard.withLock { $0 } }
        func observe(_ date: AppleDate) { heard.withLock { $0.append(date) } }
    }

    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)
    private static let signed = Timestamp(millisecondsSince1970: 1_795_262_000_000)
    private static let transaction = #"""
        {"transactionId":"2","originalTransactionId":"1","bundleId":"b","productId":"p","purchaseDate":1795000000000,
        "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","environment":"Production","signedDate":1795262000000}
        """#

    private let listener = Listener()
    private let authority: TestAuthority
    private let jws: String

    init() throws {
        authority = try TestAuthority()
        jws = try authority.signer().sign(Self.transaction)
    }

    /// Reads evidence that a client sent.
    private func read(_ evidence: Evidence, _ verifier: SignedDataVerifier) {
        let reader = AppStoreEvidenceReader(verifier: verifier.reporting(to: listener))
        _ = try? reader.history(from: evidence)
    }

    /// Asks Apple, whose answer is scripted.
    private func fetch(_ question: AppStoreQuestion, answer: String, status: Int = 200) async throws {
        let fetcher = AppStoreEvidenceFetcher(
            [
                AppStoreApp(
                    bundleId: "b",
                    environments: [.production],
                    serverAPI: SignedAnswers.credentials,
                    answerLifetimeSeconds: 60
                )
            ],
            over: ScriptedTransport([.reply(answer, status: status)]),
            verifier: SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)]),
            clock: listener
        )
        for _ in 0..<2 { _ = try? await fetcher.history(answering: question, for: "b") }
    }

    @Test("the date of data that ends at Apple's own root, each time that it is sent")
    func signedByApple() throws {
        let verifier = SignedDataVerifier(apple: try TrustedRoot(contents: authority.rootDER))
        for _ in 0..<2 { read(.signedTransactions([jws], renewalInfos: []), verifier) }
        #expect(listener.dates == [.signed(Self.signed), .signed(Self.signed)])
    }

    @Test("not the date of data that ends at a root of the operator's, or at none")
    func signedByOthers() throws {
        let additional = [try TrustedRoot(contents: authority.rootDER)]
        read(.signedTransactions([jws], renewalInfos: []), SignedDataVerifier(additionalRoots: additional))
        read(.signedTransactions([jws], renewalInfos: []), SignedDataVerifier())
        var parts = jws.split(separator: ".").map(String.init)
        parts[2] = String(parts[2].reversed())
        let apple = SignedDataVerifier(apple: try TrustedRoot(contents: authority.rootDER))
        read(.signedTransactions([parts.joined(separator: ".")], renewalInfos: []), apple)
        #expect(listener.dates.isEmpty)
    }

    @Test("not the date of a verifyReceipt answer that a client sent")
    func sent() {
        let json = #"{"status":0,"receipt":{"bundle_id":"b","request_date_ms":"1795262400000"}}"#
        read(.receiptResponse(json: Array(json.utf8)), SignedDataVerifier())
        #expect(listener.dates.isEmpty)
    }

    @Test("the date of a verifyReceipt answer that was fetched, once and not again from the cache")
    func fetchedReceipt() async throws {
        let json = #"{"status":0,"receipt":{"bundle_id":"b","request_date_ms":"1795262300000"}}"#
        try await fetch(.receipt(base64: "MII="), answer: json)
        #expect(listener.dates == [.fetched(Timestamp(millisecondsSince1970: 1_795_262_300_000))])
    }

    @Test("nothing of an answer without data", arguments: [#"{"status":21003}"#, "{", #"{"status":0}"#])
    func fetchedRefusal(answer: String) async throws {
        try await fetch(.receipt(base64: "MII="), answer: answer)
        #expect(listener.dates.isEmpty)
    }

    @Test("the newest date in a Server API answer that was fetched, as the least that Apple's clock shows")
    func fetchedStatuses() async throws {
        let json = #"""
            {"environment":"Production","bundleId":"b","data":[{"lastTransactions":[
            {"status":2,"originalTransactionId":"1","signedTransactionInfo":"\#(jws)"}]}]}
            """#
        try await fetch(.transactionId("2"), answer: json)
        #expect(listener.dates == [.signed(Self.signed)])
    }
}

import FakeServer
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
        let doubt: Int? = 7
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
        _ = try? reader.book(from: evidence)
    }

    @Test("the date of data that ends at Apple's own root, each time that it is sent")
    func signedByApple() throws {
        let verifier = SignedDataVerifier(apples: [try TrustedRoot(contents: authority.rootDER)])
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
        let apple = SignedDataVerifier(apples: [try TrustedRoot(contents: authority.rootDER)])
        read(.signedTransactions([parts.joined(separator: ".")], renewalInfos: []), apple)
        #expect(listener.dates.isEmpty)
    }

    @Test("not the date of a verifyReceipt answer that a client sent")
    func sent() {
        let json = #"{"status":0,"receipt":{"bundle_id":"b","request_date_ms":"1795262400000"}}"#
        read(.receiptResponse(json: Array(json.utf8)), SignedDataVerifier())
        #expect(listener.dates.isEmpty)
    }

    /// By `date` of GNU coreutils: `date -u -d @1795262400`.
    @Test("the `Date` of every answer of Apple's services, whatever its status", arguments: [200, 401, 404, 503])
    func fetched(status: Int) async throws {
        let server = try FakeServer { _ in .init(status, headers: ["Date": "Sat, 21 Nov 2026 12:00:00 GMT"]) }
        let transport = AsyncHTTPTransport(clock: listener)
        _ = try await transport.send(OutgoingRequest(to: server.url), timeout: .seconds(30))
        await transport.shutdown()
        #expect(listener.dates == [.fetched(Self.now)])
    }

    @Test(
        "nothing of a `Date` that is none",
        arguments: [
            "", "now", "Sat, 21 Nov 2026 12:00:00", "Sat, 31 Feb 2026 12:00:00 GMT", "Sat, 21 Nov 2026 25:00:00 GMT",
        ]
    )
    func noDate(text: String) {
        #expect(Timestamp(httpDate: text) == nil)
    }

    @Test("by a question of its own: the next service is asked where one does not answer")
    func question() async throws {
        let server = try FakeServer { _ in .init(404, headers: ["Date": "Sat, 21 Nov 2026 12:00:00 GMT"]) }
        let transport = AsyncHTTPTransport(clock: listener)
        let closed = "http://127.0.0.1:1"
        let urls = AppStoreURLs(
            verifyReceipt: closed,
            sandboxVerifyReceipt: server.url,
            serverAPI: closed,
            sandboxServerAPI: closed
        )
        await transport.askClock(of: urls)
        await transport.shutdown()
        #expect(listener.dates == [.fetched(Self.now, about: 7)])
    }
}

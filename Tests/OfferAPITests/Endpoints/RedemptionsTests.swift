import NIOEmbedded
import OfferService
import Offers
import Synchronization
import Testing

@testable import OfferAPI

@Suite("Redemptions over the wire")
struct RedemptionsTests {
    /// So many redemptions, one at each position; more may come.
    private final class Store: RedemptionStore {
        let count: Mutex<Int64>

        /// One was stored in each second from noon on.
        func position(of bundleId: String, before since: Timestamp) -> Int64 {
            (since.millisecondsSince1970 - PublicEndpoints.noon.millisecondsSince1970) / 1000
        }

        init(_ count: Int64) { self.count = Mutex(count) }

        func redemptions(of bundleId: String, after position: Int64, limit: Int) -> [FeedEntry]? {
            let count = count.withLock { $0 }
            guard position <= count else { return nil }
            return (position..<count).prefix(limit).map { number in
                FeedEntry(
                    position: number + 1,
                    redemption: OfferRedemption(
                        originalTransactionId: "\(number + 1)",
                        transactionId: number == 0 ? "10" : nil,
                        productId: "monthly",
                        subscriptionGroupIdentifier: nil,
                        offerId: "stay",
                        redeemedAt: PublicEndpoints.noon,
                        price: number == 0 ? PaidPrice(milliunits: 4990, currency: "EUR") : nil,
                        storefront: number == 0 ? "DEU" : nil,
                        webOrderLineItemId: nil,
                        begins: number == 0 ? .now : .nextRenewal,
                        source: number == 0 ? .apple : .receiptResponse
                    ),
                    environment: .production,
                    nonce: number == 0 ? "0f4c" : nil
                )
            }
        }
    }

    @Test("since begins where the store says, and is refused beside after, and as another text")
    func since() async throws {
        let answer = try await listener().ask(Self.request("since=2026-11-21T12:00:02Z"))
        #expect(
            answer.body.contains(#""originalTransactionId":"3""#)
                && !answer.body.contains(#""originalTransactionId":"2""#)
        )
        let next = try #require(try await listener().ask(Self.request("limit=1")).member("next"))
        let refused = [
            "since=yesterday", "since=2026-11-21", "since=1795262400000", "since=2026-11-21T12:00:02Z&after=\(next)",
            "since=2026-11-21T12:00:02Z&after=x",
        ]
        for query in refused {
            let answer = try await listener().ask(Self.request(query))
            #expect(answer.status == 400)
            #expect(answer.member("code") == "invalid_value" && answer.member("pointer") == "/since")
        }
    }

    private func listener(
        _ store: Store = Store(3),
        apps: Set<String> = ["com.example.reader"],
        scopes: Set<ClientScope> = [.redemptions],
        permits: Permits = Permits(4),
        census: ConnectionCensus = ConnectionCensus()
    ) -> TestListener {
        let client = Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: apps, scopes: scopes)
        let signing = ["com.example.reader", "other"].map {
            SigningApp(app: App(bundleId: $0, subscriptionGroups: []), signer: ConstantSigner())
        }
        return TestListener(
            PublicEndpoints.test(client, apps: signing, redemptions: store, waiting: permits),
            census: census
        )
    }

    private static func request(_ query: String = "") -> TestRequest {
        TestRequest("/v1/redemptions\(query.isEmpty ? "" : "?")\(query)", "", method: "GET")
    }

    @Test("A page has each redemption with what is known of it, and where to go on")
    func page() async throws {
        let answer = try await listener().ask(Self.request("limit=2"))
        #expect(answer.status == 200)
        let next = try #require(answer.member("next"))
        let expected = """
            {"redemptions":[{"offerId":"stay","productId":"monthly","environment":"Production",\
            "originalTransactionId":"1","transactionId":"10","redeemedAt":"2026-11-21T12:00:00Z","begins":"now",\
            "price":"4.99","currency":"EUR","storefront":"DEU","nonce":"0f4c","from":"apple"},\
            {"offerId":"stay","productId":"monthly","environment":"Production","originalTransactionId":"2",\
            "redeemedAt":"2026-11-21T12:00:00Z","begins":"next_renewal","from":"receiptResponse"}],"next":"\(next)"}
            """
        #expect(answer.body == expected)
        let rest = try await listener().ask(Self.request("after=\(next)"))
        #expect(rest.body.contains(#""originalTransactionId":"3""#))
        let end = try #require(rest.member("next"))
        let none = try await listener().ask(Self.request("after=\(end)"))
        #expect(none.body == #"{"redemptions":[],"next":"\#(end)"}"#)
    }

    @Test("A cursor is good for its app alone; limits and waits have bounds")
    func refusals() async throws {
        let both: Set<String> = ["com.example.reader", "other"]
        let next = try #require(
            try await listener(apps: both).ask(Self.request("bundleId=com.example.reader")).member("next")
        )
        #expect(try await listener(apps: both).ask(Self.request("bundleId=other&after=\(next)")).status == 400)
        let beyond = RedemptionCursor(position: 9).text(of: "com.example.reader")
        for query in [
            "after=x", "after=\(next)0", "after=\(beyond)", "after=", "limit=0", "limit=1001", "limit=+5", "limit=1.0",
            "wait=31", "wait=-1", "more=1",
        ] { #expect(try await listener().ask(Self.request(query)).summary == "400 invalid_parameter ", "\(query)") }
        #expect(try await listener().ask(Self.request("limit=1000&wait=0")).status == 200)
        #expect(try await listener(apps: both).ask(Self.request()).status == 400)
        #expect(try await listener().ask(Self.request("bundleId=other")).status == 403)
    }

    @Test("No client has the scope by default")
    func scope() async throws {
        #expect(!Client(name: "a", tokenSHA256: [], apps: []).scopes.contains(.redemptions))
        let refused = try await listener(scopes: ClientScope.byDefault).ask(Self.request())
        #expect(refused.summary == "403 scope_not_allowed ")
    }

    @Test("A wait ends with the first redemption; without a place it is answered at once")
    func waits() async throws {
        let store = Store(0)
        async let answer = RedemptionsTests().listener(store).ask(Self.request("wait=30"))
        store.count.withLock { $0 = 1 }
        #expect(try await answer.body.contains(#""originalTransactionId":"1""#))
        #expect(try await listener(Store(0), permits: Permits(0)).ask(Self.request("wait=30")).status == 200)
    }

    /// A connection whose request waits, and has the only place.
    private func waiting(_ permits: Permits, _ census: ConnectionCensus = ConnectionCensus()) async throws
        -> TestConnection
    {
        let connection = try await listener(Store(0), permits: permits, census: census).connect()
        try await connection.send(Self.request("wait=30"))
        while permits.acquire() {
            permits.release()
            _ = try await connection.received()
        }
        return connection
    }

    @Test("A wait ends at the drain")
    func drained() async throws {
        let census = ConnectionCensus()
        let connection = try await waiting(Permits(1), census)
        let start = ContinuousClock.now
        census.drain()
        // The answer closes the connection.
        var answer: TestAnswer?
        while answer == nil, start.duration(to: .now) < .seconds(20) { answer = try await connection.received() }
        #expect(answer?.status == 200)
    }

    @Test("A client that has gone gives its place back")
    func gone() async throws {
        let permits = Permits(1)
        let connection = try await waiting(permits)
        try await connection.close()
        let start = ContinuousClock.now
        while !permits.acquire() { await connection.channel.testingEventLoop.run() }
        #expect(start.duration(to: .now) < .seconds(20))
    }
}

import NIOCore
import OfferService
import Offers
import Testing

@testable import OfferAPI

@Suite("Bodies on their way, and requests at once")
struct UnfinishedBodyTests {
    // FIPS 180-4's other example.
    private static let message = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    private func listener(bytes: Int = 1 << 20, requests: Int? = nil) -> TestListener {
        let other = hexadecimal("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        return TestListener(
            .test(
                Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"], concurrentRequests: requests),
                beside: [Client(name: "other", tokenSHA256: [other], apps: ["a"])],
                usages: ClientUsages(maximumUnfinishedBytes: bytes),
                apps: []
            )
        )
    }

    /// A request whose head has come.
    private func begun(
        _ listener: TestListener,
        _ length: Int,
        token: String = "abc"
    ) async throws -> (connection: TestConnection, answer: TestAnswer?) {
        let connection = try await listener.connect()
        let head = TestRequest("/v1/signatures", "", token: token).text
        try await connection.send(head.replacing("Content-Length: 0", with: "Content-Length: \(length)"))
        return (connection, try await connection.received())
    }

    @Test("A client has half of the bytes, another one the other half, and after that nobody has any")
    func halves() async throws {
        let listener = listener(bytes: 100)
        #expect(try await begun(listener, 30).answer == nil)
        #expect(try await begun(listener, 20).answer == nil)
        let refused = try #require(try await begun(listener, 1).answer)
        #expect(refused.summary == "429 too_many_requests ")
        #expect(refused.field("Retry-After") == "1")
        #expect(refused.member("detail")?.contains("50 bytes") == true)
        #expect(try await begun(listener, 50, token: Self.message).answer == nil)
        #expect(try await begun(listener, 1, token: Self.message).answer?.status == 429)
    }

    @Test("Where the bytes of all are taken, a client that has few of them is refused, too, and has its own back")
    func all() async throws {
        let usages = ClientUsages(maximumUnfinishedBytes: 100)
        for name in ["first", "second"] { try usages.usage(of: name).acquire(unfinishedBytes: 40) }
        let third = usages.usage(of: "third")
        for _ in 0..<10 {
            #expect(throws: Problem.overloaded) { try third.acquire(unfinishedBytes: 21) }
        }
        try third.acquire(unfinishedBytes: 20)
        usages.usage(of: "first").release(unfinishedBytes: 40)
        try third.acquire(unfinishedBytes: 30)
    }

    @Test("The bytes are free again when the body is there, when the service goes, and when its client has gone")
    func ends() async throws {
        let listener = listener(bytes: 200)
        for end in 0..<3 {
            let (connection, _) = try await begun(listener, 100)
            #expect(try await begun(listener, 100).answer?.status == 429)
            switch end {
            case 0:
                try await connection.send(String(repeating: " ", count: 100))
                #expect(try await connection.receive().status == 400)
            case 1: try await connection.channel.triggerUserOutboundEvent(Connection.TimeIsOver()).get()
            default: try await connection.close()
            }
            _ = try await connection.received()
            #expect(try await begun(listener, 101).answer?.status == 429)
            let again = try await begun(listener, 100)
            #expect(again.answer == nil, "after end \(end)")
            try await again.connection.close()
        }
    }

    @Test("A body in chunks takes bytes as it grows, and is refused in the middle")
    func chunks() async throws {
        let listener = listener(bytes: 200)
        func chunked() async throws -> TestConnection {
            let connection = try await listener.connect()
            let head = TestRequest("/v1/signatures", "").text
            try await connection.send(head.replacing("Content-Length: 0", with: "Transfer-Encoding: chunked"))
            return connection
        }
        let connections = [try await chunked(), try await chunked()]
        let half = "32\r\n" + String(repeating: " ", count: 50) + "\r\n"
        for connection in connections { try await connection.send(half) }
        #expect(try await connections[0].received() == nil)
        try await connections[0].send("1\r\n \r\n")
        let refused = try await connections[0].receive()
        #expect(refused.summary == "429 too_many_requests ")
        #expect(refused.field("Connection") == "close")
        try await connections[1].send(half + "0\r\n\r\n")
        #expect(try await connections[1].receive().status == 400)
    }

    @Test("A request counts among those at once from its head on, until its end")
    func heads() async throws {
        let listener = listener(requests: 2)
        let first = try await begun(listener, 1).connection
        #expect(try await begun(listener, 1).answer == nil)
        let refused = try #require(try await begun(listener, 1).answer)
        #expect(refused.summary == "429 too_many_requests ")
        #expect(refused.member("detail")?.contains("2 requests at once") == true)
        #expect(try await begun(listener, 1, token: Self.message).answer == nil)
        try await first.send("{")
        #expect(try await first.receive().status == 400)
        #expect(try await begun(listener, 1).answer == nil)
        #expect(try await begun(listener, 1).answer?.status == 429)
    }
}

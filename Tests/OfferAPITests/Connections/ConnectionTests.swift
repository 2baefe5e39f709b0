import KeptLog
import NIOCore
import OfferService
import Offers
import Testing

@testable import OfferAPI

@Suite("Requests on one connection")
struct ConnectionTests {
    private let log = KeptLog()

    private func listener() -> TestListener {
        let client = Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"])
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let app = SigningApp(app: App(bundleId: "a", subscriptionGroups: [group]), signer: ConstantSigner())
        return TestListener(PublicEndpoints.test(client, apps: [app]), logger: log.logger)
    }

    private static let body = #"{"applicationUsername":"a"}"#

    @Test("Answers come in the order of the requests, whichever call each is for, and refusals among them")
    func order() async throws {
        let connection = try await listener().connect()
        let requests = [
            TestRequest("/v1/products?countryCode=DE", "", method: "GET"), TestRequest("/v1/eligibility", Self.body),
            TestRequest("/v1/nothing", ""), TestRequest("/v1/openapi.json", "", method: "HEAD"),
            TestRequest("/v1/eligibility?", Self.body), TestRequest("/v1/signatures", "{"),
        ]
        try await connection.send(
            requests.enumerated().map { index, request in
                var request = request
                request.fields = ["X-Request-ID: \(index)"]
                return request.text
            }.joined()
        )
        var answers: [TestAnswer] = []
        for _ in requests { answers.append(try await connection.receive()) }
        #expect(answers.map(\.status) == [200, 200, 404, 200, 200, 400])
        #expect(answers.compactMap { $0.field("X-Request-ID") } == ["0", "1", "2", "3", "4", "5"])
        #expect(answers[3].body == "" && answers[3].field("Content-Length").flatMap(Int.init) ?? 0 > 1000)
        #expect(answers[1].body == answers[4].body)
        let lines = log.takeLines().filter { $0.hasPrefix("request ") }
        #expect(lines.count == requests.count)
        #expect(lines.compactMap { $0.firstMatch(of: /code=(\w+)/)?.1 } == ["not_found", "malformed_json"])
    }

    @Test("Nothing of a request that was refused is in the next one")
    func refused() async throws {
        let connection = try await listener().connect()
        try await connection.send(TestRequest("/v1/nothing", "first"), TestRequest("/v1/eligibility", Self.body))
        #expect(try await connection.receive().status == 404)
        #expect(try await connection.receive().status == 200)
    }

    @Test("A body may come in any number of pieces")
    func pieces() async throws {
        let connection = try await listener().connect()
        for character in TestRequest("/v1/eligibility", Self.body).text { try await connection.send("\(character)") }
        #expect(try await connection.receive().status == 200)
    }

    @Test(
        "Another protocol on the port is named, with what to change",
        arguments: [
            (
                "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}\u{01}\u{FC}",
                "This is TLS, and the port speaks HTTP without it"
            ),
            ("PROXY TCP4 192.0.2.1 192.0.2.2 5000 80\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "the PROXY protocol"),
            ("\r\n\r\n\u{00}\r\nQUIT\n\u{21}\u{11}\u{00}\u{0C}", "This begins with the PROXY protocol"),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "This is HTTP/2, and the port speaks HTTP/1.1"),
        ]
    )
    func otherProtocol(bytes: String, says: String) async throws {
        let connection = try await listener().connect()
        try await connection.send(bytes)
        let answer = try await connection.receive()
        #expect(answer.summary == "400 malformed_http ")
        #expect(answer.body.contains(says), "\(answer.body)")
        #expect(answer.field("Connection") == "close")
        let other = try await listener().connect()
        try await other.send("NOTHING AT ALL\r\n\r\n")
        #expect(try await other.receive().body.contains("no method that is known here"))
    }

    @Test(
        "A request for another protocol, or for the end, gets an answer and no second one",
        arguments: [(nil, false), ("Upgrade: h2c", true), ("Connection: close", true)] as [(String?, Bool)]
    )
    func last(field: String?, closes: Bool) async throws {
        let connection = try await listener().connect()
        try await connection.send(
            TestRequest("/v1/eligibility", Self.body, fields: field.map { [$0] } ?? []),
            TestRequest("/v1/eligibility", Self.body)
        )
        #expect(try await connection.receive().field("Connection") == (closes ? "close" : nil))
        #expect(try await connection.received()?.status == (closes ? nil : 200))
    }

    @Test(
        "A request that is cut off when the time to finish is over says so, by its name, and is counted as what it is"
    )
    func cutOff() async throws {
        let connection = try await listener().connect()
        let request = TestRequest("/v1/eligibility", Self.body, fields: ["X-Request-ID: order-1"])
        try await connection.send(String(request.text.dropLast()))
        try await connection.channel.triggerUserOutboundEvent(Connection.TimeIsOver()).get()
        let answer = try await connection.receive()
        #expect(answer.summary == "503 shutting_down ")
        #expect(answer.field("X-Request-ID") == "order-1")
        let line = log.takeLines().first { $0.hasPrefix("request ") }
        #expect(line?.contains("client=abc code=shutting_down") == true)
        #expect(line?.contains("route=/v1/eligibility status=503") == true)
    }
}

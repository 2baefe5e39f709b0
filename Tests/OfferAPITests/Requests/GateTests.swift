import KeptLog
import NIOCore
import NIOEmbedded
import OfferService
import Offers
import PrometheusMetrics
import Testing

@testable import OfferAPI

@Suite("Decisions by the head of a request alone")
struct GateTests {
    private let listener: TestListener
    private let log = KeptLog()
    private let registry = PrometheusRegistry()

    init() {
        listener = TestListener(
            Self.endpoints(for: [.sign, .report]),
            metrics: RequestMetrics(factory: registry),
            logger: log.logger
        )
    }

    private static func endpoints(for scopes: Set<ClientScope>) -> PublicEndpoints {
        let client = Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"], scopes: scopes)
        let app = App(bundleId: "a", subscriptionGroups: [])
        return PublicEndpoints.test(client, apps: [SigningApp(app: app, signer: ConstantSigner())])
    }

    private func judge(_ target: String, token: String? = "abc", method: String = "POST") async throws -> TestAnswer {
        try await listener.ask(TestRequest(target, "{}", method: method, token: token))
    }

    private func counted() -> [String] {
        String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("offer_signer_requests_total{") }
    }

    @Test(
        "A call is found by its path, in whichever form of a target HTTP allows",
        arguments: ["/v1/signatures", "/v1/signatures?", "http://a/v1/signatures", "HTTP://a:80/v1/signatures?"]
    )
    func forms(target: String) async throws {
        #expect(try await judge(target).summary == "400 missing_member /offers")
        #expect(counted() == [#"offer_signer_requests_total{route="/v1/signatures",status="400",client="abc"} 1"#])
    }

    @Test(
        "A path is what it is",
        arguments: [
            "//v1/signatures", "/v1/signatures/", "/v1/Signatures", "/v1/../v1", "/v1/%73ignatures", "http://a", "/",
        ]
    )
    func paths(target: String) async throws {
        #expect(try await judge(target).summary == "404 not_found ")
        #expect(counted() == [#"offer_signer_requests_total{route="unmatched",status="404",client="abc"} 1"#])
    }

    @Test("A misspelt path and a misspelt parameter are asked about")
    func nearest() async throws {
        let path = try await judge("/v1/signature")
        #expect(path.member("detail") == "There is nothing at this path: did you mean \"/v1/signatures\"?")
        #expect(try await judge("/somewhere").member("detail") == "There is nothing at this path.")
        let parameter = try await judge("/v1/products?bundleID=a", method: "GET")
        #expect(parameter.member("detail")?.contains("did you mean \"bundleId\"? known here: bundleId,") == true)
    }

    @Test("The server as a whole is no call")
    func asterisk() async throws {
        #expect(try await judge("*", method: "OPTIONS").summary == "404 not_found ")
    }

    /// The calls, each with its method and its scope.
    private static let calls: [(method: String, path: String, scope: ClientScope)] = [
        ("POST", "/v1/signatures", .sign), ("POST", "/v1/introductory-eligibility-signatures", .sign),
        ("POST", "/v1/eligibility", .eligibility), ("POST", "/v1/diagnoses", .diagnose),
        ("POST", "/v1/product-reports", .report), ("GET", "/v1/products", .report),
        ("GET", "/v1/redemptions", .redemptions),
    ]

    @Test("Each call needs its scope, and no other")
    func scopes() async throws {
        for (method, path, scope) in Self.calls {
            for (scopes, isRefused) in [(Set([scope]), false), (Set(ClientScope.allCases).subtracting([scope]), true)] {
                let listener = TestListener(Self.endpoints(for: scopes))
                let answer = try await listener.ask(TestRequest(path, method == "GET" ? "" : "{}", method: method))
                #expect((answer.summary == "403 scope_not_allowed ") == isRefused, "\(path): \(answer.summary)")
            }
        }
    }

    @Test("A client that lacks a scope is told the file, and the line that allows it")
    func scopeLine() async throws {
        let listener = TestListener(Self.endpoints(for: [.report, .diagnose]))
        let answer = try await listener.ask(TestRequest("/v1/signatures", "{}"))
        let says =
            "lacks the scope sign. What it may do is `scopes` of the client in clients.yaml: to allow this too, write "
            + "scopes: [sign, report, diagnose]."
        #expect(answer.body.contains(says), "\(answer.body)")
    }

    @Test("A parameter that a call does not have is refused, as an unknown member is, and an empty query is none")
    func parameters() async throws {
        let listener = TestListener(Self.endpoints(for: Set(ClientScope.allCases)))
        for (method, path, _) in Self.calls + [("GET", "/v1/openapi.json", .sign)] {
            for query in ["colour=red", "bundleId=", "%zz"] {
                let body = method == "GET" ? "" : "{}"
                let answer = try await listener.ask(TestRequest("\(path)?\(query)", body, method: method))
                #expect(answer.summary == "400 invalid_parameter ", "\(path)?\(query)")
            }
        }
        for target in ["/v1/signatures?bundleId=nope", "http://a/v1/eligibility?bundleId=nope"] {
            #expect(try await listener.ask(TestRequest(target, "{}")).summary == "400 invalid_parameter ")
        }
        #expect(try await judge("/v1/signatures?a=b", token: "abd").status == 401)
        #expect(try await judge("http://a/v1/signatures?&").summary == "400 missing_member /offers")
        #expect(try await listener.ask(TestRequest("/v1/openapi.json?", "", method: "GET")).status == 200)
    }

    @Test("A method that a call does not have is refused with those that it has")
    func methods() async throws {
        for (method, path, allowed) in [
            ("GET", "/v1/signatures", "POST"), ("DELETE", "/v1/product-reports", "POST"),
            ("PUT", "/v1/products", "GET, HEAD"), ("HEAD", "/v1/signatures", "POST"),
            ("OPTIONS", "/v1/diagnoses", "POST"),
        ] {
            let answer = try await listener.ask(TestRequest(path, "", method: method))
            #expect(answer.status == 405)
            #expect(answer.field("Allow") == allowed)
        }
    }

    @Test("Each GET may be a HEAD, whose head is that of the answer")
    func heads() async throws {
        for (target, token) in [
            ("/v1/openapi.json", nil), ("/v1/products?countryCode=DE", "abc"), ("/v1/products?countryCode=DE", nil),
        ] as [(String, String?)] {
            let answers = [
                try await listener.ask(TestRequest(target, "", method: "GET", token: token)),
                try await listener.ask(TestRequest(target, "", method: "HEAD", token: token)),
            ]
            #expect(answers[0].status == answers[1].status)
            for field in ["Content-Type", "Content-Length"] {
                #expect(answers[0].field(field) != nil && answers[0].field(field) == answers[1].field(field))
            }
        }
    }

    @Test("A body in a content coding is refused before it is read")
    func contentCoding() async throws {
        let listener = TestListener(Self.endpoints(for: Set(ClientScope.allCases)))
        for (method, path, _) in Self.calls where method == "POST" {
            let refused = try await listener.ask(TestRequest(path, "{}", fields: ["Content-Encoding: gzip"]))
            #expect(refused.summary == "415 unsupported_media_type ")
            #expect(refused.member("detail")?.contains("Content-Encoding") == true)
            #expect(refused.field("Accept-Encoding") == "identity")
        }
    }

    @Test(
        "No token and a wrong one are different sentences, each with what to do",
        arguments: [nil, "Basic YTpi", "Bearer"]
    )
    func sentences(authorization: String?) async throws {
        let fields = authorization.map { ["Authorization: \($0)"] } ?? []
        let missing = try await listener.ask(TestRequest("/v1/signatures", "{}", token: nil, fields: fields))
        #expect(missing.summary == "401 unauthorized ")
        #expect(missing.member("detail") == Problem.tokenMissing.detail)
        #expect(missing.field("WWW-Authenticate") == "Bearer")
        #expect(try await judge("/v1/signatures", token: "abd").member("detail") == Problem.tokenUnknown.detail)
        #expect(Problem.tokenMissing.detail.contains("Authorization: Bearer TOKEN"))
        #expect(Problem.tokenUnknown.detail.contains("`offer-signer clients token`"))
    }

    @Test("A body with evidence or reports may be long, and no other")
    func bodies() async throws {
        let limits = ConnectionLimits()
        let listener = TestListener(Self.endpoints(for: Set(ClientScope.allCases)))
        for (path, limit) in [
            ("signatures", limits.maximumEvidenceBodyBytes), ("eligibility", limits.maximumEvidenceBodyBytes),
            ("introductory-eligibility-signatures", limits.maximumEvidenceBodyBytes),
            ("product-reports", limits.maximumEvidenceBodyBytes), ("diagnoses", limits.maximumBodyBytes),
        ] {
            for (length, status) in [(limit, nil), (limit + 1, 413)] as [(Int, Int?)] {
                let connection = try await listener.connect()
                let head = TestRequest("/v1/\(path)", "").text
                try await connection.send(head.replacing("Content-Length: 0", with: "Content-Length: \(length)"))
                #expect(try await connection.received()?.status == status, "\(path)")
            }
        }
    }

    @Test("Which of a client's tokens a request showed is counted")
    func tokens() async throws {
        // FIPS 180-4's other example.
        let message = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        let other = hexadecimal("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        let client = Client(name: "abc", tokenSHA256: [other, sha256OfAbc], apps: ["a"], scopes: [.sign])
        let endpoints = PublicEndpoints.test(client, apps: [])
        let listener = TestListener(endpoints, metrics: RequestMetrics(factory: registry))
        func ask(_ target: String, _ token: String) async throws -> Int {
            try await listener.ask(TestRequest(target, "{}", token: token)).status
        }
        #expect(try await ask("/v1/signatures", "abc") == 400)
        #expect(try await ask("/v1/diagnoses", "abc") == 403)
        #expect(try await ask("/v1/signatures", message) == 400)
        #expect(try await ask("/v1/signatures", "guess") == 401)
        let samples = String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n")
        #expect(
            samples.filter { $0.hasPrefix("offer_signer_client_tokens_total{") }.sorted() == [
                #"offer_signer_client_tokens_total{client="abc",token="first"} 1"#,
                #"offer_signer_client_tokens_total{client="abc",token="second"} 2"#,
            ]
        )
    }

    @Test("A refused request has its id, its route and its client in the answer, in the log and in the count, once")
    func verdict() async throws {
        let named = ["X-Request-ID: order-1"]
        func ask(_ target: String, _ change: (String) -> String) async throws -> TestAnswer {
            let connection = try await listener.connect()
            try await connection.send(change(TestRequest(target, "{}", fields: named).text))
            return try await connection.receive()
        }
        let route = "/v1/signatures"
        let refused = [
            try await ask(route) { $0.replacing("application/json", with: "text/plain") },
            try await ask(route) { $0.replacing("Content-Length: 2", with: "Content-Length: 9999999") },
            try await ask(route) { $0.replacing("Content-Length: 2", with: "Expect: more\r\nContent-Length: 2") },
            try await ask("/v1/diagnoses") { $0 },
        ]
        #expect(refused.map(\.status) == [415, 413, 417, 403])
        #expect(refused.allSatisfy { $0.field("X-Request-ID") == "order-1" })
        #expect(
            counted().sorted() == [
                #"offer_signer_requests_total{route="/v1/diagnoses",status="403",client="abc"} 1"#,
                #"offer_signer_requests_total{route="/v1/signatures",status="413",client="abc"} 1"#,
                #"offer_signer_requests_total{route="/v1/signatures",status="415",client="abc"} 1"#,
                #"offer_signer_requests_total{route="unmatched",status="417",client="none"} 1"#,
            ]
        )
        let lines = log.takeLines().filter { $0.hasPrefix("request ") }
        #expect(lines.count { $0.contains("client=abc") } == 3)
        #expect(
            lines.compactMap { $0.firstMatch(of: /code=(\w+)/)?.1 } == [
                "unsupported_media_type", "body_too_large", "expectation_failed", "scope_not_allowed",
            ]
        )
    }
}

import KeptLog
import NIOCore
import NIOEmbedded
import OfferService
import Offers
import Testing

@testable import OfferAPI

@Suite("The operators' listener with its page")
struct OperatorsPageTests {
    private let listener: TestListener

    init() {
        let client = Client(name: "abc", tokenSHA256: [sha256OfAbc], apps: ["a"], scopes: [.eligibility, .report])
        let app = App(bundleId: "a", subscriptionGroups: [])
        listener = TestListener(
            forms: .test(client, apps: [SigningApp(app: app, signer: ConstantSigner())]),
            page: OperatorsPage { Array(#"{"status":"ready"}"#.utf8) },
            logger: KeptLog().logger
        )
    }

    private func ask(
        _ method: String,
        _ target: String,
        _ body: String = "",
        token: String? = nil,
        _ fields: String...
    ) async throws -> TestAnswer {
        try await listener.ask(TestRequest(target, body, method: method, token: token, fields: fields))
    }

    @Test(
        "Each file of the page, what it shows, and what was there before is answered, to its method alone",
        arguments: [
            "/", "/page.css", "/page.js", "/icon.svg", "/overview.json", "/livez", "/metrics", "/version",
        ]
    )
    func paths(path: String) async throws {
        let answer = try await ask("GET", path)
        #expect(answer.status == 200)
        #expect(answer.field("Content-Type") != nil)
        #expect(try await ask("POST", path).summary == "405 method_not_allowed ")
    }

    @Test(
        "Nothing else is there",
        arguments: ["//", "/index.html", "/page.js/", "/try/", "/v1/signatures", "/Page.css"]
    )
    func nothing(path: String) async throws {
        #expect(try await ask("GET", path).summary == "404 not_found ")
        #expect(try await ask("POST", path, "{}", token: "abc").summary == "404 not_found ")
    }

    @Test("A form asks for a token, its scope and JSON, as the public call that it is like")
    func clients() async throws {
        let missing = try await ask("POST", "/try", "{}")
        #expect(missing.summary == "401 unauthorized ")
        #expect(missing.field("WWW-Authenticate") == "Bearer")
        #expect(try await ask("POST", "/diagnose", "{}", token: "abc").summary == "403 scope_not_allowed ")
        #expect(try await ask("GET", "/try", token: "abc").summary == "405 method_not_allowed ")
        #expect(try await ask("POST", "/try", "{}", token: "abc", "Content-Encoding: gzip").status == 415)
        let malformed = try await ask("POST", "/try", #"{"formats":["discount"]}"#, token: "abc")
        #expect(malformed.summary == "400 unknown_member /formats")
        #expect(try await ask("POST", "/try", "{}", token: "abc").status == 400)
    }

    @Test("Guesses of tokens at a form are answered later and later, and looks at the page are not")
    func guesses() async throws {
        var guess = try await listener.connect()
        // One a second is forgiven, however long this takes.
        for _ in 0..<1000 {
            guess = try await listener.connect()
            try await guess.send(TestRequest("/try", "{}", token: "guess"))
            if try await guess.received() == nil { break }
        }
        #expect(try await ask("GET", "/").status == 200)
        await listener.loop.advanceTime(by: .seconds(1))
        #expect(try await guess.receive().status == 401)
    }

    @Test("Bodies are bounded by what a form may carry, before anything of them is read")
    func bodies() async throws {
        let limits = ConnectionLimits()
        for (path, limit) in [("/try", limits.maximumEvidenceBodyBytes), ("/", limits.maximumBodyBytes)] {
            for (length, status) in [(limit, nil), (limit + 1, 413)] as [(Int, Int?)] {
                let connection = try await listener.connect()
                let head = TestRequest(path, "", method: path == "/" ? "GET" : "POST").text
                try await connection.send(head.replacing("Content-Length: 0", with: "Content-Length: \(length)"))
                #expect(try await connection.received()?.status == status)
            }
        }
    }

    @Test(
        "A page of another origin is refused, whatever else it sends",
        arguments: ["http://b", "http://a:1", "null", "a", "ftp://a", "http://a, http://a", "https://a.b", "http://"]
    )
    func foreign(origin: String) async throws {
        for (method, path) in [("POST", "/try"), ("POST", "/diagnose"), ("GET", "/"), ("GET", "/overview.json")] {
            let answer = try await ask(method, path, "", token: "abc", "Origin: \(origin)")
            #expect(answer.summary == "403 foreign_origin ")
        }
        // Two origins are one too many.
        #expect(try await ask("GET", "/", "", token: nil, "Origin: http://a", "Origin: http://a").status == 403)
        // Monitoring is no page.
        #expect(try await ask("GET", "/livez", "", token: nil, "Origin: \(origin)").status == 200)
    }

    @Test("The page's own origin is not foreign, behind TLS neither", arguments: ["http://a", "https://a", "HTTP://A"])
    func own(origin: String) async throws {
        #expect(try await ask("GET", "/", "", token: nil, "Origin: \(origin)").status == 200)
        #expect(try await ask("POST", "/try", "{}", token: "abc", "Origin: \(origin)").status == 400)
    }
}

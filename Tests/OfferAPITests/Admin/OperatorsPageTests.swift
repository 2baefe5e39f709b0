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
            page: OperatorsPage.calls { Array(#"{"status":"ready"}"#.utf8) },
            hosts: ["a", "Ops.example"]
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
            "/", "/page.css", "/icon.svg", "/overview.json", "/livez", "/metrics", "/version",
        ] + OperatorsPage.scripts.map(\.0)
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
        #expect(try await ask("POST", "/try?a=b", "{}", token: "abc").summary == "400 invalid_parameter ")
        let foreign = try await ask("POST", "/try", #"{"bundleId":"b","applicationUsername":"a"}"#, token: "abc")
        #expect(foreign.summary == "403 app_not_allowed /bundleId")
        let malformed = try await ask("POST", "/try", #"{"formats":["discount"]}"#, token: "abc")
        #expect(malformed.summary == "400 unknown_member /formats")
        #expect(try await ask("POST", "/try", "{}", token: "abc").status == 400)
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

    @Test(
        "Under a name that is not known, neither the page nor a form answers: any stranger's page could have it",
        arguments: [
            "b", "a.b", "ops.example.b", "xlocalhost", "localhost.b", "127.0.0.1.b", "127.1", "0x7f.0.0.1",
            "2130706433",
            "", "a:b", "[::1", "b:80", "[a]", "a%00", "http:",
        ]
    )
    func unknownHost(host: String) async throws {
        for (method, path) in [
            ("POST", "/try"), ("POST", "/diagnose"), ("GET", "/"), ("GET", "/overview.json"), ("GET", "/page.js"),
        ] {
            var request = TestRequest(path, "", method: method, fields: ["Origin: http://\(host)"])
            request.host = host
            let status = try await listener.ask(request).status
            #expect([421, 400].contains(status))
            // The target's own host counts, too.
            request = TestRequest("http://\(host)\(path)", "", method: method)
            #expect([421, 400, 404].contains(try await listener.ask(request).status))
        }
    }

    @Test("The refusal of a name says where to list it")
    func unknownHostIsNamed() async throws {
        var request = TestRequest("/overview.json", "", method: "GET")
        request.host = "b"
        let answer = try await listener.ask(request)
        #expect(answer.summary == "421 misdirected_request ")
        #expect(answer.member("title") == "Misdirected Request")
        #expect(answer.member("detail")?.contains("admin.hosts") == true)
        let old = try await listener.connect()
        try await old.send("GET / HTTP/1.0\r\n\r\n")
        #expect(try await old.receive().status == 421, "no name is no known one")
    }

    @Test(
        "The page is opened under localhost, an address and a listed name, in any case and at any port",
        arguments: [
            "a", "A:9090", "a.", "ops.example", "OPS.EXAMPLE.:1", "localhost", "LocalHost:9090", "localhost.",
            "x.localhost", "127.0.0.1", "127.0.0.1:9090", "192.0.2.1:80", "[::1]", "[::1]:9090", "[2001:DB8::1]:9090",
        ]
    )
    func knownHost(host: String) async throws {
        for path in ["/", "/overview.json"] {
            var request = TestRequest(path, "", method: "GET", fields: ["Origin: http://\(host)"])
            request.host = host
            #expect(try await listener.ask(request).status == 200)
        }
        #expect(try await ask("GET", "http://\(host)/").status == 200)
    }

    @Test(
        "Probes and metrics answer under every name, and no page of another origin may use what they say",
        arguments: ["/livez", "/readyz", "/metrics", "/version"]
    )
    func probes(path: String) async throws {
        for host in ["b", "offer-signer-admin.monitoring.svc:9090"] {
            var request = TestRequest(path, "", method: "GET")
            request.host = host
            let answer = try await listener.ask(request)
            #expect([200, 503].contains(answer.status))
            #expect(answer.field("X-Content-Type-Options") == "nosniff")
            #expect(answer.field("Cross-Origin-Resource-Policy") == "same-origin")
        }
    }

    @Test("Every answer of the listener is protected, a refusal and a form's, too")
    func protection() async throws {
        for answer in [
            try await ask("GET", "/"), try await ask("GET", "/nothing"),
            try await ask("POST", "/try", "{}", token: "abc"),
            try await ask("POST", "/livez"), try await ask("GET", "/", "", token: nil, "Origin: http://b"),
        ] {
            #expect(answer.head.ranges(of: "nosniff").count == 1)
            #expect(answer.head.ranges(of: "Cross-Origin-Resource-Policy: same-origin").count == 1)
        }
    }

    @Test("The page's own files let nothing else in: no frame, no other host, no code or style within, no cookie")
    func closed() async throws {
        for path in ["/", "/page.css", "/icon.svg", "/overview.json"] + OperatorsPage.scripts.map(\.0) {
            let answer = try await ask("GET", path)
            let policy = try #require(answer.field("Content-Security-Policy")).split(separator: "; ")
            for rule in ["default-src", "frame-ancestors", "form-action", "base-uri"] {
                #expect(policy.contains("\(rule) 'none'"))
            }
            #expect(policy.dropFirst().allSatisfy { !$0.contains(#/unsafe|\*|data:/#) })
            #expect(answer.field("Referrer-Policy") == "no-referrer")
            #expect(answer.field("Access-Control-Allow-Origin") == nil && answer.field("Set-Cookie") == nil)
            // The namespace of SVG is a name, and nothing is asked of it.
            #expect(answer.body.matches(of: #/https?:\/\/([\w.-]+)/#).allSatisfy { $0.1 == "www.w3.org" })
        }
        let page = try await ask("GET", "/").body
        #expect(!page.contains(#/<style|\sstyle=|\son\w+=|<script(?![^>]*src=)|javascript:/#))
    }

    @Test("A connection beyond the limit has an answer to a probe, and to nothing else")
    func spare() async throws {
        for (path, status) in [("/livez", 200), ("/readyz", 503), ("/metrics", 503), ("/", 503), ("/nothing", 503)] {
            let connection = try await listener.connect(isSpare: true)
            try await connection.send(TestRequest(path, "", method: "GET"))
            let answer = try await connection.receive()
            #expect(answer.status == status)
            #expect(answer.field("Connection") == "close")
            #expect((answer.member("code") == nil) == ["/livez", "/readyz"].contains(path))
        }
    }
}

import Foundation
import Testing

@Suite("Requests are limited before any work is done for them")
struct ConnectionLimitTests {
    private static let token = "Authorization: Bearer \(Installation.token)"
    private static let json = "Content-Type: application/json"
    private static let body = #"{"applicationUsername":"a","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#

    private static func head(_ line: String, _ fields: String...) -> String {
        (["\(line) HTTP/1.1", "Host: localhost", token, json] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func post(_ path: String = "/v1/signatures", _ body: String = Self.body) -> String {
        head("POST \(path)", "Content-Length: \(body.utf8.count)") + body
    }

    @Test("A body that is announced too long is refused before it is sent, and the connection is closed")
    func announcedLength() throws {
        let service = try RunningService()
        for (path, limit) in [
            ("/v1/signatures", 1 << 20), ("/v1/eligibility", 1 << 20), ("/v1/product-reports", 1 << 20),
            ("/v1/diagnoses", 16 << 10),
        ] {
            let connection = try Connection(to: service.server)
            try connection.send(Self.head("POST \(path)", "Content-Length: \(limit + 1)"))
            let response = try connection.receive()
            #expect(response.status == 413)
            #expect(response.json["code"] as? String == "body_too_large")
            #expect(response.headers["connection"] == "close")
            #expect(connection.isClosed())
            let other = try Connection(to: service.server)
            let fitting = String(repeating: " ", count: limit)
            #expect(try other.request("POST", path, headers: [Self.token, Self.json], body: fitting).status == 400)
        }
    }

    @Test("A body in chunks is cut at the limit, however much is still to come")
    func chunks() throws {
        let service = try RunningService(flags: ["--server-limits-maximum-evidence-body-bytes", "20000"])
        let connection = try Connection(to: service.server)
        try connection.send(Self.head("POST /v1/signatures", "Transfer-Encoding: chunked"))
        for _ in 0..<3 { try connection.send("2000\r\n" + String(repeating: " ", count: 0x2000) + "\r\n") }
        let response = try connection.receive()
        #expect(response.status == 413)
        #expect((response.json["detail"] as? String)?.contains("20000") == true)
        #expect(connection.isClosed())
    }

    @Test("A request without a token is refused before the body, by the head alone")
    func tokenFirst() throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        try connection.send("POST /v1/signatures HTTP/1.1\r\nHost: a\r\n\(Self.json)\r\nContent-Length: 999999\r\n\r\n")
        #expect(try connection.receive().status == 401)
        #expect(connection.isClosed(), "nobody waits for the rest of a long body")
    }

    @Test("A head that is too large is 431")
    func largeHead() throws {
        let service = try RunningService()
        let longish = String(repeating: "x", count: 300)
        for field in [
            String(repeating: "x", count: 17 << 10), String(repeating: "x\r\nA: ", count: 200),
            String(repeating: "\(longish)\r\nA: ", count: 60),
        ] {
            let connection = try Connection(to: service.server)
            try connection.send("GET /v1/products HTTP/1.1\r\nHost: a\r\nA: \(field)\r\n\r\n")
            let response = try connection.receive()
            #expect(response.status == 431)
            // Which of the two limits it was, nobody can say.
            let detail = try #require(response.json["detail"] as? String)
            #expect(detail.contains("16384 bytes") && detail.contains("100 fields"), "\(detail)")
            #expect(connection.isClosed())
        }
    }

    @Test("A client that sends a head or a body too slowly gets 408 and is closed; one that sends nothing is closed")
    func slowSenders() throws {
        let service = try RunningService(
            flags: [
                "--server-limits-header-timeout-seconds", "1", "--server-limits-request-timeout-seconds", "1",
                "--server-limits-idle-timeout-seconds", "2",
            ]
        )
        for text in [
            "POST /v1/signatures HTTP/1.1\r\nHos", Self.head("POST /v1/signatures", "Content-Length: 9") + "{",
        ] {
            let connection = try Connection(to: service.server)
            try connection.send(text)
            let response = try connection.receive()
            #expect(response.status == 408)
            #expect(response.headers["connection"] == "close")
            #expect(connection.isClosed())
        }
        #expect(try Connection(to: service.server).isClosed())
        let used = try Connection(to: service.server)
        #expect(try used.request("POST", "/v1/signatures", body: Self.body).status == 200)
        #expect(used.isClosed())
    }

    @Test("However many connections keep silent, operators and Apple are answered")
    func silence() throws {
        let service = try RunningService(flags: ["--notifications-host", "127.0.0.1", "--notifications-port", "0"])
        for address in [service.admin, try #require(service.notifications)] {
            var silent = try (0..<400).map { index in
                let connection = try Connection(to: address)
                // Some of a head, of a body, or nothing.
                switch index % 3 {
                case 0: try connection.send("GET /livez HTTP/1.1\r\nHos")
                case 1: try connection.send("POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{")
                default: break
                }
                return connection
            }
            let isAdmin = address.port == service.admin.port
            for _ in 0..<3 {
                let connection = try Connection(to: address)
                let status = try connection.request(isAdmin ? "GET" : "POST", isAdmin ? "/livez" : "/v1/notifications")
                    .status
                #expect(status == (isAdmin ? 200 : 400))
            }
            silent.removeAll()
        }
    }

    @Test("Drips do not prolong a head")
    func drips() throws {
        let service = try RunningService(flags: ["--server-limits-header-timeout-seconds", "1"])
        let connection = try Connection(to: service.server)
        try connection.send("GET /v1/products HTTP/1.1\r\n")
        let deadline = Date() + 15
        while Date() < deadline, (try? connection.send("A: b\r\n")) != nil { usleep(100_000) }
        #expect(Date() < deadline)
    }

    @Test("Connections beyond the limit get 503, and there is room again when others close")
    func connections() throws {
        let service = try RunningService(flags: ["--server-limits-maximum-connections", "3"])
        do {
            let first = try (0..<3).map { _ in try Connection(to: service.server) }
            for connection in first {
                #expect(try connection.request("POST", "/v1/signatures", body: Self.body).status == 200)
            }
            let excess = try Connection(to: service.server)
            let response = try excess.receive()
            #expect(response.status == 503)
            #expect(response.json["code"] as? String == "too_many_connections")
            #expect(response.headers["retry-after"] != nil)
            #expect(response.headers["x-request-id"]?.isEmpty == false)
            #expect(excess.isClosed())
            #expect(try first[0].request("POST", "/v1/signatures", body: Self.body).status == 200)
        }
        var status = 0
        for _ in 0..<500 where status != 200 {
            status = (try? service.sign(Self.body).status) ?? 0
            usleep(10_000)
        }
        #expect(status == 200)
    }

    @Test("Where few files may be open, clients get no more connections than leave room for the operators")
    func fewFiles() throws {
        let service = try RunningService(launcher: ["prlimit", "--nofile=128:128"])
        #expect(service.log.contains("may have 128 files open, which leaves room for 64 connections"), "\(service.log)")
        let connections = try (0..<120).map { _ in try Connection(to: service.server) }
        #expect(try service.readiness().status == 200)
        #expect(try connections[0].request("POST", "/v1/signatures", body: Self.body).status == 200)
        #expect(try connections[119].receive().json["code"] as? String == "too_many_connections")
    }

    @Test("Pipelined requests are answered in their order, refusals among them")
    func pipelining() throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        let stranger = "POST /v1/signatures HTTP/1.1\r\nHost: a\r\n\(Self.json)\r\nContent-Length: 2\r\n\r\n{}"
        let requests = [
            Self.post(), Self.post("/v1/nothing"), Self.post(), stranger, Self.head("GET /v1/signatures"),
            Self.post("/v1/signatures", "{}"), Self.post(),
        ]
        try connection.send(requests.joined())
        #expect(try requests.map { _ in try connection.receive().status } == [200, 404, 200, 401, 405, 400, 200])
    }

    @Test("A request with Expect: 100-continue gets 100, or the refusal instead")
    func expectation() throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        for _ in 0..<2 {
            try connection.send(
                Self.head("POST /v1/signatures", "Content-Length: \(Self.body.utf8.count)", "Expect: 100-continue")
            )
            #expect(try connection.receive().status == 100)
            try connection.send(Self.body)
            #expect(try connection.receive().status == 200)
        }
        let refused = try Connection(to: service.server)
        try refused.send(Self.head("POST /v1/signatures", "Content-Length: 9999999", "Expect: 100-continue"))
        #expect(try refused.receive().status == 413)
        #expect(refused.isClosed())
        // Nobody knows whether the body of a refused request still comes, and what would be taken for it.
        let short = try Connection(to: service.server)
        try short.send(Self.head("POST /v1/nothing", "Content-Length: 2", "Expect: 100-continue"))
        let response = try short.receive()
        #expect(response.status == 404)
        #expect(response.headers["connection"] == "close")
        #expect(short.isClosed())
        let other = try Connection(to: service.server)
        try other.send(Self.head("POST /v1/signatures", "Content-Length: 2", "Expect: more"))
        #expect(try other.receive().status == 417)
    }

    @Test("A refused method says which are allowed, a HEAD has no body, and the connection lives on")
    func methods() throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        for (method, path, allow) in [
            ("GET", "/v1/signatures", "POST"), ("DELETE", "/v1/product-reports", "POST"),
            ("PUT", "/v1/products", "GET, HEAD"),
            ("HEAD", "/v1/signatures", "POST"), ("OPTIONS", "/v1/diagnoses", "POST"),
        ] {
            let response = try connection.request(method, path)
            #expect(response.status == 405)
            #expect(response.headers["allow"] == allow)
        }
        #expect(try connection.request("POST", "/v1/signatures", body: Self.body).status == 200)
    }

    @Test("Each GET may be a HEAD, whose head is that of the answer")
    func heads() throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        let products = "/v1/products?bundleId=\(Installation.bundleId)&countryCode=DE"
        for (path, fields, status) in [
            ("/v1/openapi.json", [], 200), (products, [Self.token], 200), (products, [], 401),
        ] {
            let got = try connection.request("GET", path, headers: fields)
            let head = try connection.request("HEAD", path, headers: fields)
            #expect(got.status == status && head.status == status)
            for field in ["content-type", "content-length"] {
                #expect(got.headers[field] != nil && head.headers[field] == got.headers[field])
            }
        }
        #expect(try connection.request("POST", "/v1/signatures", body: Self.body).status == 200)
    }

    @Test("An unknown method is named in the error", arguments: ["FOO", "get", "Post", "POSTS"])
    func unknownMethod(method: String) throws {
        let service = try RunningService()
        let connection = try Connection(to: service.server)
        try connection.send(Self.head("\(method) /v1/signatures", "Content-Length: 0"))
        let response = try connection.receive()
        #expect(response.status == 400)
        #expect(response.json["code"] as? String == "malformed_http")
        #expect((response.json["detail"] as? String)?.contains("method") == true)
        #expect(connection.isClosed())
    }

    @Test("HTTP/1.0 and Connection: close end with the answer; half a close is waited for")
    func endings() throws {
        let service = try RunningService()
        let fields = "\(Self.token)\r\n\(Self.json)\r\nContent-Length: \(Self.body.utf8.count)"
        for request in [
            "POST /v1/signatures HTTP/1.0\r\n\(fields)\r\n\r\n\(Self.body)",
            // Nobody grants it in words, so that the client waits for the end.
            "POST /v1/signatures HTTP/1.0\r\nConnection: keep-alive\r\n\(fields)\r\n\r\n\(Self.body)",
            "POST /v1/signatures? HTTP/1.0\r\nConnection: keep-alive\r\n\(fields)\r\n\r\n\(Self.body)",
            Self.head("POST /v1/signatures", "Content-Length: \(Self.body.utf8.count)", "Connection: close")
                + Self.body,
        ] {
            let connection = try Connection(to: service.server)
            try connection.send(request)
            let response = try connection.receive()
            #expect(response.status == 200)
            #expect(response.headers["connection"] == "close")
            #expect(connection.isClosed())
        }
        let half = try Connection(to: service.server)
        try half.send(Self.post())
        half.closeOutput()
        #expect(try half.receive().status == 200)
        #expect(half.isClosed())
    }

    @Test("A request that could be read in two ways is refused, and the connection closed")
    func smuggling() throws {
        let service = try RunningService()
        for request in Self.ambiguous {
            let connection = try Connection(to: service.server)
            try connection.send(request)
            let response = try connection.receive()
            #expect((400..<500).contains(response.status), "\(request)")
            #expect(response.headers["connection"] == "close", "\(request)")
            #expect(connection.isClosed(), "\(request)")
        }
        #expect(try service.sign(Self.body).status == 200)
    }

    private static let ambiguous = [
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST /v1/signatures HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 0\r\n\r\n",
        "POST /v1/signatures HTTP/1.1\r\nHost: a b/c@\r\nContent-Length: 0\r\n\r\n",
        "POST /v1/signatures HTTP/1.0\r\nHost: a/b\r\nContent-Length: 0\r\n\r\n",
        "POST /v1/signatures HTTP/1.1\r\nHost : a\r\nContent-Length: 0\r\n\r\n",
        "BREW /v1/signatures HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /v1/products HTTP/9.9\r\nHost: a\r\n\r\n",
    ]
}

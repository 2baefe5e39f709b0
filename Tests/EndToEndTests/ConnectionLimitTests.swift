import Foundation
import Testing

@Suite("Connections are limited before any work is done for them")
struct ConnectionLimitTests {
    private static let body = #"{"applicationUsername":"a",\#(Customers.offers("anyone"))}"#

    @Test("A client that sends a head or a body too slowly gets 408 and is closed; one that sends nothing is closed")
    func slowSenders() throws {
        let service = try RunningService(
            flags: [
                "--server-limits-header-timeout-seconds", "1", "--server-limits-request-timeout-seconds", "1",
                "--server-limits-idle-timeout-seconds", "1",
            ]
        )
        func send(_ text: String) throws -> Connection {
            let connection = try Connection(to: service.server)
            try connection.send(text)
            return connection
        }
        // All of them wait at once.
        let late = [
            try send("POST /v1/signatures HTTP/1.1\r\nHos"),
            try send(
                "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
            ),
        ]
        let (silent, used) = (try Connection(to: service.server), try Connection(to: service.server))
        #expect(try used.request("POST", "/v1/signatures", body: Self.body).status == 200)
        let dripping = try send("GET /v1/products HTTP/1.1\r\n")
        let deadline = Date() + 15
        while Date() < deadline, (try? dripping.send("A: b\r\n")) != nil { usleep(100_000) }
        #expect(Date() < deadline, "drips do not prolong a head")
        for connection in late {
            let response = try connection.receive()
            #expect(response.status == 408)
            #expect(response.headers["connection"] == "close")
            #expect(connection.isClosed())
        }
        #expect(silent.isClosed())
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

    @Test("Where few files may be open, clients get no more connections than leave room for the operators")
    func fewFiles() throws {
        let service = try RunningService(launcher: ["prlimit", "--nofile=128:128"])
        #expect(service.log.contains("may have 128 files open, which leaves room for 64 connections"), "\(service.log)")
        let connections = try (0..<120).map { _ in try Connection(to: service.server) }
        try service.waitUntilReadiness(is: 200)
        #expect(try connections[0].request("POST", "/v1/signatures", body: Self.body).status == 200)
        #expect(try connections[119].receive().json["code"] as? String == "too_many_connections")
    }

    @Test("A caller that does not read is answered up to the room there is, and gets the rest when it reads")
    func unread() throws {
        let installation = try Installation()
        let products = (0..<40).map { product in
            let offers = (0..<10).map { "{ id: offer-\(product)-\($0) }" }.joined(separator: ", ")
            return "          - { id: pro.\(product), offers: [\(offers)] }\n"
        }
        let last = "{ id: comeback50, audience: [lapsed] }\n"
        try installation.edit("catalog.yaml", last, last + products.joined())
        let service = try RunningService(installation)
        let connection = try Connection(to: service.server)
        let count = 120
        let body = #"{"applicationUsername":"a","explain":true}"#
        try connection.send(String(repeating: Connection.post(body, to: "/v1/eligibility"), count: count))
        func answered() throws -> Double {
            try service.metrics().reduce(0) { sum, metric in
                metric.key.hasPrefix("offer_signer_requests_total") ? sum + metric.value : sum
            }
        }
        var before = -1.0
        while try answered() > before {
            before = try answered()
            usleep(500_000)
        }
        #expect(before < Double(count) / 2, "the answers of \(before) requests wait in memory")
        let answers = try (0..<count).map { _ in try connection.receive() }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(answers.last?.decisions.count == 402)
    }

    @Test("A connection that breaks off leaves no trace in the log, but for the refusal of a known client")
    func brokenOff() throws {
        let service = try RunningService()
        for text in [
            "POST /v1/sig", "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
            "POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        ] { try Connection(to: service.server).send(text) }
        // A busy machine may notice the last one's end late, and a stop leaves it out.
        for _ in 0..<1000 where !service.log.contains("malformed_http") { usleep(10_000) }
        service.stop()
        // What the start says of the ledger, and of a kernel without secret memory, is no matter here, nor is the end.
        let others = [
            "a new ledger was made", "secret memory", "configuration in use", "draining", "stopping", "stopped",
        ]
        let lines = service.log.split(separator: "\n").filter { line in !others.contains { line.contains($0) } }
        #expect(lines.count == 1 && lines.first?.contains(#""code":"malformed_http""#) == true, "\(lines)")
    }
}

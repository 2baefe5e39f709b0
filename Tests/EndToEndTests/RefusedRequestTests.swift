import Foundation
import Testing

extension SharedServiceTests {
    @Suite("Requests are judged by their heads, over a socket")
    struct RefusedRequestTests {
        private static let token = "Authorization: Bearer \(Installation.token)"
        private static let json = "Content-Type: application/json"
        private static let body = #"{"applicationUsername":"a",\#(Customers.offers("anyone"))}"#

        private let service: RunningService

        init() throws { service = try PlainScene.running().service }

        private static func head(_ line: String, _ fields: String...) -> String {
            (["\(line) HTTP/1.1", "Host: localhost", token, json] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        }

        private static func large(_ value: String) -> String {
            "GET /v1/products HTTP/1.1\r\nHost: a\r\nA: \(value)\r\n\r\n"
        }

        @Test("A refused request has its answer before its body is sent, and its connection is closed")
        func refused() throws {
            let wide = String(repeating: "\(String(repeating: "x", count: 300))\r\nA: ", count: 60)
            let cases: [(String, Int, String)] = [
                (Self.head("POST /v1/signatures", "Content-Length: \(1 << 20 | 1)"), 413, "body_too_large"),
                (Self.head("POST /v1/diagnoses", "Content-Length: \(16 << 10 | 1)"), 413, "body_too_large"),
                (
                    "POST /v1/signatures HTTP/1.1\r\nHost: a\r\n\(Self.json)\r\nContent-Length: 999999\r\n\r\n", 401,
                    "unauthorized"
                ),
                (
                    Self.head("POST /v1/signatures", "Content-Length: 9999999", "Expect: 100-continue"), 413,
                    "body_too_large"
                ),
                // Nobody knows whether the body of a refused request still comes, and what would be taken for it.
                (Self.head("POST /v1/nothing", "Content-Length: 2", "Expect: 100-continue"), 404, "not_found"),
                (Self.large(String(repeating: "x", count: 17 << 10)), 431, "headers_too_large"),
                (Self.large(String(repeating: "x\r\nA: ", count: 200)), 431, "headers_too_large"),
                (Self.large(wide), 431, "headers_too_large"),
            ]
            for (request, status, code) in cases {
                let connection = try Connection(to: service.server)
                try connection.send(request)
                let response = try connection.receive()
                #expect(response.summary == "\(status) \(code)", "\(request.prefix(200))")
                #expect(response.headers["content-type"] == "application/problem+json")
                #expect(response.headers["connection"] == "close")
                #expect(connection.isClosed(), "\(request.prefix(200))")
            }
        }

        @Test("A body in chunks is cut at the limit, however much is still to come")
        func chunks() throws {
            let connection = try Connection(to: service.server)
            try connection.send(Self.head("POST /v1/signatures", "Transfer-Encoding: chunked"))
            let chunk = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
            for _ in 0..<17 { try connection.send(chunk) }
            let response = try connection.receive()
            #expect(response.status == 413)
            #expect((response.json["detail"] as? String)?.contains("1048576") == true)
            #expect(connection.isClosed())
        }

        @Test("HTTP/1.0 and Connection: close end with the answer; half a close is waited for")
        func endings() throws {
            let fields = "\(Self.token)\r\n\(Self.json)\r\nContent-Length: \(Self.body.utf8.count)"
            let close = Self.head("POST /v1/signatures", "Content-Length: \(Self.body.utf8.count)", "Connection: close")
            for request in [
                "POST /v1/signatures HTTP/1.0\r\n\(fields)\r\n\r\n\(Self.body)",
                // Nobody grants it in words, so that the client waits for the end.
                "POST /v1/signatures HTTP/1.0\r\nConnection: keep-alive\r\n\(fields)\r\n\r\n\(Self.body)",
                "POST /v1/signatures? HTTP/1.0\r\nConnection: keep-alive\r\n\(fields)\r\n\r\n\(Self.body)",
                close + Self.body,
            ] {
                let connection = try Connection(to: service.server)
                try connection.send(request)
                let response = try connection.receive()
                #expect(response.status == 200)
                #expect(response.headers["connection"] == "close")
                #expect(connection.isClosed())
            }
        }

        @Test("A request that could be read in two ways is refused, and the connection closed")
        func smuggling() throws {
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
}

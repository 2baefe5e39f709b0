import NIOHTTP1

/// What HTTP/1.1 asks of a request's head, and the parser leaves to the server.
enum HTTPHeadRules {
    /// Looks at the head of a request.
    ///
    /// `Content-Length` beside `Transfer-Encoding`, two lengths that differ and other ways to smuggle a request are the
    /// parser's to refuse.
    ///
    /// - Parameter head: The head.
    /// - Returns: Why it is refused; `nil` when it is in order.
    static func fault(of head: HTTPRequestHead) -> Problem? {
        // RFC 9112 §3.2: exactly one Host field in HTTP/1.1.
        let hosts = head.headers[canonicalForm: "Host"]
        guard hosts.count == 1 || (hosts.isEmpty && head.version == .http1_0) else {
            return .malformedHTTP("A request of HTTP/1.1 has exactly one Host field (RFC 9112 §3.2).")
        }
        guard head.headers["content-length"].count <= 1 else {
            return .malformedHTTP("Content-Length is there more than once.")
        }
        // RFC 9112 §6.1: the parser takes a coding that it does not know for no body at all.
        let codings = head.headers["transfer-encoding"]
        guard codings.isEmpty || (codings.map { $0.lowercased() } == ["chunked"] && head.version != .http1_0) else {
            return .malformedHTTP("The only Transfer-Encoding here is chunked, once, in HTTP/1.1.")
        }
        // RFC 9110 §10.1.1: nothing else can be expected.
        let expectations = head.headers[canonicalForm: "Expect"]
        guard expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else { return .expectationFailed }
        return nil
    }

    /// Whether another request can follow on the connection.
    ///
    /// After a request to upgrade, and after CONNECT, the parser waits for another protocol, which is not spoken here.
    ///
    /// - Parameter head: The head.
    /// - Returns: `false` when the answer has to close the connection.
    static func keepsAlive(_ head: HTTPRequestHead) -> Bool {
        head.isKeepAlive && head.method != .CONNECT && !head.headers.contains(name: "upgrade")
    }

    /// The length that the head announces; `nil` for a body in chunks, or none.
    ///
    /// - Parameter head: The head, which the parser has found to be in order.
    /// - Returns: The length in bytes, `Int.max` for one that does not fit.
    static func contentLength(of head: HTTPRequestHead) -> Int? {
        head.headers.first(name: "content-length").map { Int($0) ?? .max }
    }

    /// Whether the client waits to be told to send the body (RFC 9110 §10.1.1).
    ///
    /// - Parameter head: The head.
    /// - Returns: `true` when it does.
    static func awaitsContinue(_ head: HTTPRequestHead) -> Bool {
        head.version != .http1_0 && head.headers.contains(name: "expect")
    }
}

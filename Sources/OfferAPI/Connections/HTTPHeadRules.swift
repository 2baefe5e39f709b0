import NIOHTTP1

/// What HTTP/1.1 asks of a request's head, and the parser leaves to the server.
enum HTTPHeadRules {
    /// Looks at the head of a request.
    ///
    /// `Content-Length` beside `Transfer-Encoding`, two lengths that differ and other ways to smuggle a request are the
    /// parser's to refuse.
    ///
    /// - Parameters:
    ///   - framing: What the head says.
    ///   - version: The version of HTTP.
    /// - Returns: Why it is refused; `nil` when it is in order.
    static func fault(of framing: RequestFraming, in version: HTTPVersion) -> Problem? {
        guard framing.host.isUnambiguous, framing.host.isThere || version == .http1_0 else {
            return .malformedHTTP("A request of HTTP/1.1 has exactly one Host field (RFC 9112 §3.2).")
        }
        guard framing.host.value.map(HostValue.isValid) ?? true else {
            return .malformedHTTP("Host is a name or an address, and perhaps a port: NAME:PORT (RFC 9112 §3.2).")
        }
        guard framing.contentLength.isUnambiguous else {
            return .malformedHTTP("Content-Length is there more than once.")
        }
        // RFC 9112 §6.1: the parser takes a coding that it does not know for no body at all.
        let isChunked = framing.transferCoding.value?.lowercased() == "chunked" && version != .http1_0
        guard !framing.transferCoding.isThere || isChunked else {
            return .malformedHTTP("The only Transfer-Encoding here is chunked, once, in HTTP/1.1.")
        }
        // RFC 9110 §10.1.1: nothing else can be expected.
        guard framing.expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else { return .expectationFailed }
        return nil
    }

    /// Whether another request can follow on the connection.
    ///
    /// After a request to upgrade, and after CONNECT, the parser waits for another protocol, which is not spoken here. And
    /// in HTTP/1.0, whoever asks to keep a connection waits for its end unless that is granted in words (RFC 9112 §9.3),
    /// which it is not here.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - framing: What it says.
    /// - Returns: `false` when the answer has to close the connection.
    static func keepsAlive(_ head: HTTPRequestHead, _ framing: RequestFraming) -> Bool {
        head.isKeepAlive && head.version != .http1_0 && head.method != .CONNECT && !framing.upgrades
    }

    /// The length that the head announces; `nil` for a body in chunks, or none.
    ///
    /// - Parameter framing: What the head says, which the parser has found to be in order.
    /// - Returns: The length in bytes, `Int.max` for one that does not fit.
    static func contentLength(of framing: RequestFraming) -> Int? {
        framing.contentLength.value.map { Int($0) ?? .max }
    }

    /// Whether the client waits to be told to send the body (RFC 9110 §10.1.1).
    ///
    /// - Parameters:
    ///   - framing: What the head says.
    ///   - version: The version of HTTP.
    /// - Returns: `true` when it does.
    static func awaitsContinue(_ framing: RequestFraming, in version: HTTPVersion) -> Bool {
        version != .http1_0 && !framing.expectations.isEmpty
    }
}

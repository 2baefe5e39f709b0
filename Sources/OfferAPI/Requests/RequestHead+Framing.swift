import NIOHTTP1

/// The demands of HTTP/1.1 on a request's head that the parser leaves to the server.
extension RequestHead {
    /// The reason to refuse the head; `nil` when it is in order.
    ///
    /// `Content-Length` beside `Transfer-Encoding`, two lengths that differ and other ways to smuggle a request are the
    /// parser's to refuse.
    var framingFault: Problem? {
        let version = sent.version
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
    /// After a request to upgrade, and after CONNECT, the parser waits for another protocol, which is not spoken here.
    /// In HTTP/1.0, a client that asks for an open connection waits for its end unless the answer grants it in words
    /// (RFC 9112 §9.3), which it never does here.
    var keepsAlive: Bool {
        sent.isKeepAlive && sent.version != .http1_0 && sent.method != .CONNECT && !framing.upgrades
    }

    /// Whether the client waits for 100 before it sends the body (RFC 9110 §10.1.1).
    var awaitsContinue: Bool {
        let hasBody = contentLength.map { $0 > 0 } ?? framing.transferCoding.isThere
        return hasBody && sent.version != .http1_0 && !framing.expectations.isEmpty
    }
}

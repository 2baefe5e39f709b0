import NIOHTTP1

/// The parts of a request's head that matter here, gathered in one pass: a reference, handed on without a copy.
final class RequestHead: Sendable {
    let sent: HTTPRequestHead
    /// The digest of the bearer token (RFC 6750 §2.1): of the only `Authorization` field, of the scheme Bearer in any case.
    let token: TokenDigest?
    /// Whether the body is said to be JSON; a `charset` other than UTF-8 is refused (RFC 8259 §8.1).
    let hasJSONBody: Bool
    let hasContentCoding: Bool
    let identity: RequestIdentity
    let framing: RequestFraming
    /// The announced length in bytes, `Int.max` for one that does not fit; `nil` for a body in chunks, or none.
    let contentLength: Int?

    /// `Request-Timeout-Milliseconds`: how long the client waits for the App Store; `nil` for no such field.
    let timeoutField: OnlyField?

    private let idempotencyField: OnlyField?
    private let authorization: String?

    init(_ sent: HTTPRequestHead, after previous: RequestHead? = nil) {
        var fields = RequestFields()
        for (name, value) in sent.headers { fields.add(name, value) }
        self.sent = sent
        authorization = fields.authorization.value
        if let authorization, let previous, previous.authorization == authorization {
            token = previous.token
        } else {
            token = authorization.flatMap(Self.bearerToken).map { TokenDigest(of: $0) }
        }
        hasJSONBody = fields.contentType.value.map(Self.isJSON) ?? false
        hasContentCoding = fields.hasContentCoding
        identity = RequestIdentity(fields)
        framing = fields.framing
        timeoutField = fields.requestTimeout.isThere ? fields.requestTimeout : nil
        idempotencyField = fields.idempotencyKey.isThere ? fields.idempotencyKey : nil
        contentLength = framing.contentLength.value.map { Int($0) ?? .max }
    }

    /// The longest wait for the App Store that the client allows; `nil` for the service's own.
    func timeout() throws(Problem) -> Duration? {
        guard let timeoutField else { return nil }
        guard let text = timeoutField.value, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let milliseconds = Int64(text), (1...Self.longestTimeout).contains(milliseconds)
        else { throw .invalidTimeout(longest: Self.longestTimeout) }
        return .milliseconds(milliseconds)
    }

    private static let longestTimeout: Int64 = 3_600_000

    /// `Idempotency-Key`: the client's name for a call that is to be answered once; `nil` for no such field.
    func idempotencyKey() throws(Problem) -> String? {
        guard let idempotencyField else { return nil }
        guard let key = idempotencyField.value, (1...Self.longestKey).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalidIdempotencyKey(longest: Self.longestKey) }
        return key
    }

    private static let longestKey = 255

    /// The request's target (RFC 9112 §3.2), mostly a path.
    var target: String { sent.uri }

    /// The requested host, with its port if any (RFC 9112 §3.3); `nil` where the head names none.
    var host: String? {
        guard target.first != "/", let scheme = target.firstRange(of: "://") else { return framing.host.value }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }

    /// The path of the target in any of its forms; `nil` where it has none.
    var path: String? {
        guard target != "*" else { return nil }
        let path = pathAndQuery.prefix { $0 != UInt8(ascii: "?") }
        return path.isEmpty ? "/" : String(Substring(path))
    }

    /// The query of the target, without its question mark.
    var query: Substring {
        Substring(pathAndQuery.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: "#") })
    }

    private var pathAndQuery: Substring.UTF8View {
        let target = target[...].utf8
        guard target.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://".utf8) else { return target }
        return target[scheme.upperBound...].drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }

    private static func bearerToken(in value: String) -> Substring? {
        let scheme = value.utf8.prefix(7)
        guard scheme.elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 }), scheme.last == UInt8(ascii: " ") else {
            return nil
        }
        // One space or more, says RFC 9110 §11.4.
        let token = value[scheme.endIndex...].drop { $0 == " " }
        return token.isEmpty ? nil : token
    }

    private static func isJSON(_ value: String) -> Bool {
        // Nearly always it is written just so.
        if value == "application/json" { return true }
        let parts = value.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" }
    }
}

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

import HTTPTypes
import NIOHTTP1

/// What this service looks at in a request's head, gathered in one pass, whichever library has read it.
///
/// It is a class so that handing it on copies nothing.
final class RequestHead: Sendable {
    /// The method.
    let method: HTTPRequest.Method
    /// The request's target (RFC 9112 §3.2), mostly a path.
    let target: String
    /// The digest of the bearer token (RFC 6750 §2.1): of the only `Authorization` field, of the scheme Bearer in any case.
    let token: TokenDigest?
    /// Whether the body is said to be JSON.
    ///
    /// A `charset` other than UTF-8 is refused: RFC 8259 §8.1 knows no other.
    let hasJSONBody: Bool
    /// Whether the body is in a content coding, such as gzip.
    let hasContentCoding: Bool
    /// By what the request is known.
    let identity: RequestIdentity
    /// What decides where the request begins and ends.
    let framing: RequestFraming

    private let authorization: String?

    /// Looks at a head that NIO has read; there is nothing to look at when its method is none of HTTP.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - previous: The head before it on the connection, whose token is mostly the same and then need not be digested
    ///     again.
    convenience init?(_ head: HTTPRequestHead, after previous: RequestHead? = nil) {
        let method: HTTPRequest.Method
        switch head.method {
        case .POST: method = .post
        case .GET: method = .get
        default:
            guard let other = HTTPRequest.Method(head.method.rawValue) else { return nil }
            method = other
        }
        var fields = RequestFields()
        for (name, value) in head.headers { fields.add(name, value) }
        self.init(method, head.uri, &fields, after: previous)
    }

    /// Looks at a head as Hummingbird has it.
    ///
    /// - Parameter head: The head.
    convenience init(_ head: HTTPRequest) {
        var fields = RequestFields()
        for field in head.headerFields { fields.add(field.name.rawName, field.value) }
        self.init(head.method, head.path ?? "", &fields, after: nil)
    }

    /// Takes the fields as they lie: a copy of them takes longer than a look.
    private init(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ fields: inout RequestFields,
        after previous: RequestHead?
    ) {
        self.method = method
        self.target = target
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

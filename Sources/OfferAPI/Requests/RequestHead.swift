import HummingbirdCore
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
        contentLength = framing.contentLength.value.map { Int($0) ?? .max }
    }

    /// The request's target (RFC 9112 §3.2), mostly a path.
    var target: String { sent.uri }

    /// The requested host, with its port if any (RFC 9112 §3.3); `nil` where the head names none.
    var host: String? {
        guard target.first != "/", let scheme = target.firstRange(of: "://") else { return framing.host.value }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }

    /// The path of the target in any of its forms; `nil` where it has none.
    var path: String? { target == "*" ? nil : URI(target).path }

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

package import Logging
import OfferService

/// Identifies a request in logs and in its answer.
package struct RequestIdentity: Sendable {
    /// The request that the current task works for; `nil` outside of one.
    @TaskLocal package static var current: RequestIdentity?

    /// The metadata of every log line of a request: `requestId`, and `traceId` and the caller's span where there is a trace.
    package static let metadataProvider = Logger.MetadataProvider {
        guard let current else { return [:] }
        var metadata: Logger.Metadata = ["requestId": "\(current.id.text)"]
        if let trace = current.traceParent {
            metadata["traceId"] = "\(trace.traceId)"
            metadata["parentId"] = "\(trace.parentId)"
        }
        return metadata
    }

    let id: RequestID
    let traceParent: TraceParent?

    /// Reads a head; an identifier that is unfit for logs or repeats the request's token is replaced.
    init(_ fields: RequestFields) {
        let authorization = fields.authorization
        func isSafe(_ text: String) -> Bool {
            // If a request has two tokens, nobody can say which one must not be repeated.
            authorization.isUnambiguous && !Self.isRepeated(text, in: authorization.value ?? "")
        }
        id = fields.requestID.value.flatMap { isSafe($0) ? RequestID($0) : nil } ?? RequestID()
        traceParent = fields.traceParent.value.flatMap { TraceParent($0) }
    }

    static let idFieldName = "X-Request-ID"

    /// Whether a text holds the credentials of `Authorization`, or a good piece of them.
    private static func isRepeated(_ text: String, in authorization: String) -> Bool {
        let credentials = authorization.split(separator: " ").last ?? ""
        return text.count >= 8 && authorization.contains(text) || credentials.count >= 8 && text.contains(credentials)
    }
}

/// The name of a request in logs: taken from `X-Request-ID`, or made.
struct RequestID: Equatable, Sendable {
    /// Characters of an accepted identifier.
    static let maximumLength = 128

    /// Letters, digits and `-._~+/=:@`.
    let text: String

    /// Accepts the identifier of a client or proxy; `nil` where it is empty, too long or unsafe in logs.
    init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isSafe) else { return nil }
        self.text = text
    }

    /// Makes 128 random bits.
    init() {
        var generator = RandomWords()
        let words = (generator.next(), generator.next())
        text = String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<32 {
                let nibble = (index < 16 ? words.0 : words.1) >> (60 - 4 * UInt64(index % 16)) & 0xF
                digits[index] = UInt8(nibble < 10 ? 0x30 + nibble : 0x57 + nibble)
            }
            return 32
        }
    }

    /// Whether a character can stand in any log or header without being quoted.
    private static func isSafe(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=:@".utf8.contains(character)
        }
    }
}

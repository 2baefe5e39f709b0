import HTTPTypes
import NIOCore
import NIOHTTP1

/// The answer to a request: status, fields and body.
struct Reply: Sendable {
    let status: Int
    /// The code of the problem; `nil` for none.
    var code: String?
    /// The header fields; `nil` for none but the type of a JSON body.
    private var fields: HTTPFields?
    private let body: [UInt8]

    /// The JSON answer of a call.
    init(_ body: [UInt8], status: Int = 200) {
        self.status = status
        self.body = body
    }

    init(_ problem: Problem) {
        self.init(problem.status, problem.fields, problem.json)
        code = problem.code
    }

    init(_ status: Int, _ fields: HTTPFields, _ body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The answer to a request for which there is no room: made once, so that a refusal costs little.
    static let overloaded = Reply(.overloaded)

    mutating func add(_ more: HTTPFields) {
        guard !more.isEmpty else { return }
        fields = (fields ?? [.contentType: "application/json"]) + more
    }

    /// The whole message, as it is sent: it needs no encoder.
    func message(
        to identity: RequestIdentity,
        closes: Bool,
        leavesOutBody: Bool,
        date: String,
        more: [(name: String, value: String)]
    ) -> ByteBuffer {
        let body = code == nil ? body : Self.adding(identity.id, to: body)
        // An array, as it is written in many pieces, each of which takes a buffer longer.
        var head: [UInt8] = []
        head.reserveCapacity(Self.usualHeadLength)
        // No value ends a line: each comes from `HTTPFields`, which check that, or from constants.
        func add(_ name: String, _ value: String) {
            head.append(contentsOf: name.utf8)
            head.append(contentsOf: ": ".utf8)
            head.append(contentsOf: value.utf8)
            head.append(contentsOf: "\r\n".utf8)
        }
        if status == 200 {
            head.append(contentsOf: "HTTP/1.1 200 OK\r\n".utf8)
        } else {
            let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
            head.append(contentsOf: "HTTP/1.1 \(status) \(phrase)\r\n".utf8)
        }
        if let fields {
            for field in fields { add(field.name.rawName, field.value) }
        } else {
            add("Content-Type", "application/json")
        }
        for (name, value) in more { add(name, value) }
        add("Content-Length", String(body.count))
        add(RequestIdentity.idFieldName, identity.id.text)
        if closes { add("Connection", "close") }
        add("Date", date)
        head.append(contentsOf: "\r\n".utf8)
        var message = ByteBufferAllocator().buffer(capacity: head.count + (leavesOutBody ? 0 : body.count))
        message.writeBytes(head)
        if !leavesOutBody { message.writeBytes(body) }
        return message
    }

    private static let usualHeadLength = 320

    /// A problem's document with the request's name, in which nothing is to be escaped.
    private static func adding(_ id: RequestID, to document: [UInt8]) -> [UInt8] {
        document.dropLast() + Array(",\"requestId\":\"\(id.text)\"}".utf8)
    }
}

extension HTTPFields {
    fileprivate static func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
        var all = left
        all.append(contentsOf: right)
        return all
    }
}

extension Problem {
    var fields: HTTPFields {
        var fields: HTTPFields = [.contentType: "application/problem+json"]
        if let allow { fields[.allow] = allow }
        if let retryAfterSeconds { fields[.retryAfter] = String(retryAfterSeconds) }
        // RFC 9110 §12.5.3: it sets a coding apart from a media type that is not taken.
        if self == .unsupportedContentCoding { fields[.acceptEncoding] = "identity" }
        if status == 401 { fields[.wwwAuthenticate] = "Bearer" }
        return fields
    }
}

import HTTPTypes
import NIOCore
import NIOHTTP1

/// The answer to a request that is answered on the event loop, as bytes: they need no encoder.
struct LoopAnswer {
    /// The status code.
    let status: Int
    /// The head so far: the status line and fields, each with the end of its line.
    ///
    /// An array, as it is written in many pieces, each of which takes a buffer longer.
    private var head: [UInt8] = []
    /// The body, JSON.
    private let body: [UInt8]

    /// The answer of an endpoint.
    ///
    /// - Parameter body: The body, JSON.
    init(ok body: [UInt8]) {
        status = 200
        self.body = body
        head.reserveCapacity(Self.usualHeadLength)
        head.append(contentsOf: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".utf8)
        add("Content-Length", String(body.count))
    }

    /// The answer that tells a problem.
    ///
    /// - Parameter problem: The problem.
    init(_ problem: Problem) {
        let response = problem.response
        status = response.status.code
        body = problem.json
        head.reserveCapacity(Self.usualHeadLength)
        let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
        head.append(contentsOf: "HTTP/1.1 \(status) \(phrase)\r\n".utf8)
        add(response.headerFields)
        add("Content-Length", String(body.count))
    }

    /// The answer to what is too much: made once, as whoever is refused costs as little as can be.
    static let overloaded = LoopAnswer(.overloaded)

    private static var usualHeadLength: Int { 320 }

    /// Adds a header field.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - value: Its value, which ends no line: a constant, or of `HTTPFields`.
    mutating func add(_ name: String, _ value: String) {
        head.append(contentsOf: name.utf8)
        head.append(contentsOf: ": ".utf8)
        head.append(contentsOf: value.utf8)
        head.append(contentsOf: "\r\n".utf8)
    }

    /// Adds header fields.
    ///
    /// - Parameter fields: The fields.
    mutating func add(_ fields: HTTPFields) {
        for field in fields { add(field.name.rawName, field.value) }
    }

    /// Adds the header field by which the request is known.
    ///
    /// - Parameter identity: By what the request is known.
    mutating func add(_ identity: RequestIdentity) { add(RequestIdentity.idFieldName, identity.id.text) }

    /// The whole message, as it is sent.
    ///
    /// - Parameters:
    ///   - closes: Whether the connection ends with it.
    ///   - leavesOutBody: Whether the request was for the head alone.
    ///   - date: The time of now, as HTTP writes it.
    /// - Returns: The message.
    consuming func message(closes: Bool, leavesOutBody: Bool, date: String) -> ByteBuffer {
        if closes { head.append(contentsOf: "Connection: close\r\n".utf8) }
        head.append(contentsOf: "Date: ".utf8)
        head.append(contentsOf: date.utf8)
        head.append(contentsOf: "\r\n\r\n".utf8)
        var message = ByteBufferAllocator().buffer(capacity: head.count + (leavesOutBody ? 0 : body.count))
        message.writeBytes(head)
        if !leavesOutBody { message.writeBytes(body) }
        return message
    }
}

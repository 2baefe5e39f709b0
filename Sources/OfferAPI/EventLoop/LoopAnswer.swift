import HTTPTypes
import NIOCore
import NIOHTTP1

/// The answer to a request that is answered on the event loop, as bytes: they need no encoder.
struct LoopAnswer {
    /// The status code.
    let status: Int
    /// The head so far: the status line and fields, each with the end of its line.
    private var head: ByteBuffer
    /// The body, JSON.
    private let body: [UInt8]

    /// The answer of an endpoint.
    ///
    /// - Parameter body: The body, JSON.
    init(ok body: [UInt8]) {
        status = 200
        head = ByteBufferAllocator().buffer(capacity: 512 + body.count)
        head.writeStaticString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        self.body = body
        add("Content-Length", String(body.count))
    }

    /// The answer that tells a problem.
    ///
    /// - Parameter problem: The problem.
    init(_ problem: Problem) {
        let response = problem.response
        status = response.status.code
        body = problem.json
        head = ByteBufferAllocator().buffer(capacity: 512 + body.count)
        let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
        head.writeString("HTTP/1.1 \(status) \(phrase)\r\n")
        add(response.headerFields)
        add("Content-Length", String(body.count))
    }

    /// The answer to what is too much: made once, as whoever is refused costs as little as can be.
    static let overloaded = LoopAnswer(.overloaded)

    /// Adds a header field.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - value: Its value, which ends no line: a constant, or of `HTTPFields`.
    mutating func add(_ name: String, _ value: String) {
        head.writeString(name)
        head.writeStaticString(": ")
        head.writeString(value)
        head.writeStaticString("\r\n")
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
    /// - Returns: The message.
    consuming func message(closes: Bool, leavesOutBody: Bool) -> ByteBuffer {
        if closes { head.writeStaticString("Connection: close\r\n") }
        head.writeStaticString("Date: ")
        head.writeString(HTTPDate.now())
        head.writeStaticString("\r\n\r\n")
        if !leavesOutBody { head.writeBytes(body) }
        return head
    }
}

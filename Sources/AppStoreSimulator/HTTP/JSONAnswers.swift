import HTTPTypes
import Hummingbird
import NIOCore
import Offers
import StrictJSON

extension Response {
    /// A response with a JSON body.
    static func json(_ json: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json))
        )
    }

    /// A response with a body that is not JSON.
    static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

extension Request {
    /// The whole body.
    ///
    /// - Parameter context: The request's context, which bounds it.
    /// - Returns: The bytes.
    /// - Throws: The error of the connection, or of a body that is too large.
    func bytes(_ context: SimulatorContext) async throws -> [UInt8] {
        let body = try await body.collect(upTo: context.maxUploadSize)
        return Array(body.readableBytesView)
    }
}

extension JSONWriter {
    /// Writes a member whose value is a string, unless there is none.
    mutating func optional(_ name: StaticString, _ value: String?) {
        if let value { member(name, value) }
    }

    /// Writes a member whose value is a whole number, unless there is none.
    mutating func optional(_ name: StaticString, _ value: Int64?) {
        if let value { member(name, value) }
    }

    /// Writes a member whose value is a moment in milliseconds.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - value: Its value; `nil` writes nothing.
    mutating func date(_ name: StaticString, _ value: Timestamp?) {
        if let value { member(name, value.millisecondsSince1970) }
    }

    /// Writes a member whose value is `true` or `false`.
    mutating func flag(_ name: StaticString, _ value: Bool) {
        member(name)
        bool(value)
    }

    /// Writes a member whose value is an array.
    mutating func list<Element>(
        _ name: StaticString,
        _ elements: some Sequence<Element>,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        member(name)
        array { list in
            for element in elements { write(element, &list) }
        }
    }

    /// The text of one object.
    static func text(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.object(members)
        return writer.bytes
    }
}

import HTTPTypes
import Hummingbird
import NIOCore
import Offers
import StrictJSON

extension Response {
    static func json(_ json: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json))
        )
    }

    static func json(_ members: (inout JSONWriter) -> Void) -> Response { json(JSONWriter.text(members)) }

    static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

extension Request {
    func bytes(_ context: SimulatorContext) async throws -> [UInt8] {
        let body = try await body.collect(upTo: context.maxUploadSize)
        return Array(body.readableBytesView)
    }
}

extension RouterMethods<SimulatorContext> {
    /// Adds a route that takes a JSON object with no other members than these.
    func post(
        _ path: RouterPath,
        members names: String...,
        use answer: @escaping @Sendable (RequestMembers) async throws -> Response
    ) {
        post(path) { request, context in
            let members = try RequestMembers(json: try await request.bytes(context))
            try members.allow(names)
            return try await answer(members)
        }
    }
}

extension JSONWriter {
    /// Writes a member unless it has no value.
    mutating func optional(_ name: StaticString, _ value: String?) {
        if let value { member(name, value) }
    }

    mutating func optional(_ name: StaticString, _ value: Int64?) {
        if let value { member(name, value) }
    }

    /// A moment in milliseconds, unless there is none.
    mutating func date(_ name: StaticString, _ value: Timestamp?) {
        if let value { member(name, value.millisecondsSince1970) }
    }
}

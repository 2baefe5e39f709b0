import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import StrictJSON

/// Answers requests by a router of Hummingbird's, each in a task of its own: for the listeners of operators and of Apple,
/// which have a few requests a second.
struct RouterAnswers<Responder: HTTPResponder> where Responder.Context == BasicRequestContext {
    let responder: Responder

    func answer(_ request: Request) {
        var sent = request.head.sent
        // The connection leaves the body out.
        if sent.method == .HEAD { sent.method = .GET }
        guard let channel = request.channel, let head = try? HTTPRequest(sent, secure: false, splitCookie: false) else {
            return request.refuse(.malformedTarget)
        }
        let body = ByteBuffer(bytes: request.body)
        request.wait { [responder] () async throws(Problem) in
            let context = BasicRequestContext(
                source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "offer-signer"))
            )
            let request = Hummingbird.Request(head: head, body: RequestBody(buffer: body))
            let written = WrittenBody()
            do {
                let response = try await responder.respond(to: request, context: context)
                try await response.body.write(written)
                var reply = Reply(response.status.code, response.headers.withoutLength, written.bytes)
                if reply.status >= 400 { reply.code = Self.code(in: written.bytes) }
                return reply
            } catch {
                throw .internal
            }
        }
    }

    /// The `code` of problem details, which the router's answers have in their bodies alone.
    private static func code(in body: [UInt8]) -> String? {
        var code: String?
        var reader = JSONReader(body)
        try? reader.readObject { (name, reader) throws(JSONFault) in
            if name == "code" { code = try reader.readString() } else { try reader.skipValue() }
        }
        return code
    }
}

private final class WrittenBody: ResponseBodyWriter {
    private(set) var bytes: [UInt8] = []

    func write(_ buffer: ByteBuffer) async throws { bytes.append(contentsOf: buffer.readableBytesView) }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPFields {
    /// Without the length of the body, which a ``Reply`` knows.
    fileprivate var withoutLength: HTTPFields {
        var fields = self
        fields[.contentLength] = nil
        return fields
    }
}

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import OfferAPI

@Suite("Requests on one connection")
struct HTTPConnectionHandlerTests {
    private let admission = AdmissionControl()

    private func makeChannel() throws -> EmbeddedChannel {
        let setup = HTTPConnectionSetup(
            limits: ConnectionLimits(),
            census: ConnectionCensus(),
            judge: { _, _ in .admit(maximumBodyBytes: 100) },
            admission: admission
        )
        let arrivals = BytesArrivalHandler()
        let handler = HTTPConnectionHandler(setup, arrivals: arrivals, progress: RequestProgress(admission))
        let channel = EmbeddedChannel(handlers: [arrivals, handler])
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    private func begin(
        _ body: String,
        _ fields: [(String, String)] = [],
        on channel: EmbeddedChannel
    ) throws {
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/v1/diagnoses")
        head.headers = HTTPHeaders([("Host", "a"), ("Content-Length", "\(body.utf8.count)")] + fields)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body)))
    }

    @Test("Nothing of a request that was refused when it was complete is in the next one")
    func refused() throws {
        let channel = try makeChannel()
        try begin("first", on: channel)
        var taken = 0
        while admission.enter(.task) != nil { taken += 1 }
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        let answer = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(String(buffer: answer).hasPrefix("HTTP/1.1 503 "))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        for _ in 0..<taken { admission.abandon(.task) }

        try begin("next", on: channel)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        guard case .head = try channel.readInbound(as: HTTPRequestPart.self),
            case .body(let body) = try channel.readInbound(as: HTTPRequestPart.self)
        else {
            Issue.record("The next request is not passed on.")
            return
        }
        #expect(String(buffer: body) == "next")
    }
    @Test("Who goes before the turn of its request has come leaves the place to others")
    func gone() throws {
        let channel = try makeChannel()
        try begin("a", on: channel)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(admission.enter(.task) == 2)
        admission.abandon(.task)
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(admission.enter(.task) == 1)
    }

    @Test(
        "Who asks for another protocol, or for the end, gets an answer and no second one",
        arguments: [([], false), ([("Upgrade", "h2c")], true), ([("Connection", "close")], true)]
            as [([(String, String)], Bool)]
    )
    func last(fields: [(String, String)], closes: Bool) throws {
        let channel = try makeChannel()
        try begin("a", fields, on: channel)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        guard case .head(let head) = try channel.readOutbound(as: HTTPServerResponsePart.self) else {
            Issue.record("There is no answer.")
            return
        }
        #expect(head.headers["connection"] == (closes ? ["close"] : []))
    }
}

import NIOCore
import NIOHTTP1

/// Tells a connection beyond the limit so, and closes it; where TLS would have to be negotiated first, it is just closed.
final class ExcessConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let isSecure: Bool

    /// Creates the handler.
    ///
    /// - Parameter isSecure: Whether TLS is spoken.
    init(isSecure: Bool) {
        self.isSecure = isSecure
    }

    func channelActive(context: ChannelHandlerContext) {
        guard !isSecure else { return context.close(promise: nil) }
        let problem = Problem.tooManyConnections
        let body = problem.json
        var text = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nDate: \(HTTPDate().now())\r\n"
        text += "Content-Type: application/problem+json\r\nContent-Length: \(body.count)\r\n"
        if let seconds = problem.retryAfterSeconds { text += "Retry-After: \(seconds)\r\n" }
        var buffer = ByteBuffer(string: text + "\r\n")
        buffer.writeBytes(body)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in bound.value.close(promise: nil) }
    }

    // What it sends is of no interest.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

@available(*, unavailable)
extension ExcessConnectionHandler: Sendable {}

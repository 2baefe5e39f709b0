import NIOCore

/// Tells a connection beyond the limit so, and closes it; where TLS would have to be negotiated first, it is just closed.
final class ExcessConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let isSecure: Bool

    /// Creates the handler.
    init(isSecure: Bool) {
        self.isSecure = isSecure
    }

    func channelActive(context: ChannelHandlerContext) {
        guard !isSecure else { return context.close(promise: nil) }
        let message = Reply(.tooManyConnections).message(
            to: RequestIdentity(RequestFields()),
            closes: true,
            leavesOutBody: false,
            date: HTTPDate().now()
        )
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(message)).whenComplete { _ in bound.value.close(promise: nil) }
    }

    // What it sends is of no interest.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

@available(*, unavailable)
extension ExcessConnectionHandler: Sendable {}

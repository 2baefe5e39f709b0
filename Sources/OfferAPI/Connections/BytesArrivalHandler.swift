import NIOCore
import NIOHTTP1

/// Some bytes have come, though they may not make a request's head yet.
struct BytesArrived: Sendable {}

/// Tells the handlers behind the parser that bytes have come: the parser itself is silent until a head is complete.
final class BytesArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Gives the head that is coming up, as if it were no HTTP.
    ///
    /// `HTTPServerPipelineHandler` lets an answer pass where it has seen a request, or this error.
    func giveUpHead() { context?.fireErrorCaught(HTTPParserError.unknown) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireUserInboundEventTriggered(BytesArrived())
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension BytesArrivalHandler: Sendable {}

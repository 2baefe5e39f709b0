import NIOCore
import NIOHTTP1

/// What stands before the parser: it tells when bytes have come, of which the parser is silent until a head is complete,
/// and lets answers out that need no encoder.
final class BytesArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What wants to know that bytes have come.
    weak var connection: HTTPConnectionHandler?
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Gives the head that is coming up, as if it were no HTTP.
    func giveUpHead() { context?.fireErrorCaught(HTTPParserError.unknown) }

    /// Writes bytes to the client, without a flush.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - promise: Told when they are on their way.
    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(NIOAny(bytes), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection?.bytesArrived()
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension BytesArrivalHandler: Sendable {}

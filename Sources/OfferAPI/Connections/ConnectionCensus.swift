import NIOCore
import Synchronization

/// A listener's open connections and unfinished requests, and whether every answer closes its connection.
package final class ConnectionCensus: Sendable {
    private let connections = Atomic(0)
    private let draining = Atomic(false)
    private let unfinished = Atomic(0)

    package init() {}

    package var openConnections: Int { connections.load(ordering: .relaxed) }
    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Makes every answer from now on say `Connection: close` and close its connection.
    package func drain() { draining.store(true, ordering: .relaxed) }

    /// Requests without a proper answer, for lack of time.
    package var requestsCutOff: Int { unfinished.load(ordering: .relaxed) }

    func requestCutOff() { unfinished.add(1, ordering: .relaxed) }

    func connectionOpened() -> Int { connections.add(1, ordering: .relaxed).newValue }

    func connectionClosed() { connections.subtract(1, ordering: .relaxed) }
}

/// Accepts no more connections when there are many more than a listener may have.
///
/// Somewhat more are accepted, and answered 503; when even those are too many, the kernel's queue has to do.
final class ConnectionCap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let census: ConnectionCensus
    private let most: Int
    /// Whether a connection is to be accepted once there is room.
    private var isDue = false

    init(census: ConnectionCensus, maximumConnections: Int) {
        self.census = census
        most = maximumConnections + max(maximumConnections / 8, 16)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.whenComplete { [loop = context.eventLoop] _ in
            // Afterwards, the census does not have it any more.
            loop.execute {
                let (cap, context) = bound.value
                if cap.isDue { cap.read(context: context) }
            }
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        isDue = census.openConnections >= most
        if !isDue { context.read() }
    }
}

@available(*, unavailable)
extension ConnectionCap: Sendable {}

/// Answers a connection beyond the limit 503, and closes it; where TLS would have to be negotiated first, it just closes.
final class ExcessConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let isSecure: Bool

    init(isSecure: Bool) {
        self.isSecure = isSecure
    }

    func channelActive(context: ChannelHandlerContext) {
        guard !isSecure else { return context.close(promise: nil) }
        let message = Reply(.tooManyConnections).message(
            to: RequestIdentity(RequestFields()),
            closes: true,
            leavesOutBody: false,
            date: HTTPDate().now(),
            more: []
        )
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(message)).whenComplete { _ in bound.value.close(promise: nil) }
    }

    // Its requests are ignored.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

@available(*, unavailable)
extension ExcessConnectionHandler: Sendable {}

import HummingbirdCore
import NIOCore
import Synchronization

/// How many connections a listener has, what it could not finish, and whether it is on its way out.
package final class ConnectionCensus: Sendable {
    private let connections = Atomic(0)
    private let draining = Atomic(false)
    private let unfinished = Atomic(0)

    /// Creates the census of a listener without connections.
    package init() {}

    /// How many connections are open.
    package var openConnections: Int { connections.load(ordering: .relaxed) }

    /// Whether every answer closes its connection.
    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Makes every answer from now on say `Connection: close` and close its connection.
    package func drain() { draining.store(true, ordering: .relaxed) }

    /// How many requests were not answered as they should, as there was no time left.
    package var requestsCutOff: Int { unfinished.load(ordering: .relaxed) }

    /// There is no time left for a request.
    func requestCutOff() { unfinished.add(1, ordering: .relaxed) }

    /// Notes a new connection.
    func connectionOpened() -> Int { connections.add(1, ordering: .relaxed).newValue }

    func connectionClosed() { connections.subtract(1, ordering: .relaxed) }
}

/// Accepts no more connections when there are many more than a listener may have.
///
/// Somewhat more are accepted, and answered 503; when even those are too many, the kernel's queue has to do.
struct ConnectionCap: AvailableConnectionsDelegate {
    /// The connections of the listener.
    let census: ConnectionCensus
    /// How many connections the listener may have.
    let maximumConnections: Int

    func connectionOpened() {}

    func connectionClosed() {}

    func isAcceptingNewConnections() -> Bool {
        census.openConnections < maximumConnections + max(maximumConnections / 8, 16)
    }
}

/// Answers a connection beyond the limit 503, and closes it; where TLS would have to be negotiated first, it just closes.
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
            date: HTTPDate().now(),
            more: []
        )
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(message)).whenComplete { _ in bound.value.close(promise: nil) }
    }

    // Its requests are not looked at.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

@available(*, unavailable)
extension ExcessConnectionHandler: Sendable {}

import NIOCore
import NIOEmbedded
import Testing

@testable import OfferAPI

/// Counts how often a listening socket is asked for connections.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private(set) var count = 0

    func read(context: ChannelHandlerContext) { count += 1 }
}

@Suite("Connections beyond the limit")
struct ConnectionCapTests {
    @Test(
        "A few more are taken, to be refused, and the rest wait for others to close",
        arguments: [(3, 16), (800, 100)]
    )
    func excess(limit: Int, more: Int) throws {
        let (census, reads) = (ConnectionCensus(), ReadCounter())
        let cap = ConnectionCap(census: census, maximumConnections: limit)
        let socket = EmbeddedChannel(handlers: [reads, cap])
        var connections: [EmbeddedChannel] = []
        func connect() throws {
            let connection = EmbeddedChannel()
            try socket.writeInbound(connection)
            _ = census.connectionOpened()
            // As in a listener: the cap hears of the end first.
            connection.closeFuture.whenComplete { _ in census.connectionClosed() }
            connections.append(connection)
        }
        for _ in 0..<(limit + more) {
            socket.read()
            try connect()
        }
        #expect(reads.count == limit + more)
        socket.read()
        #expect(reads.count == limit + more)
        for left in 1...2 {
            _ = try connections.removeFirst().finish()
            socket.embeddedEventLoop.run()
            #expect(reads.count == limit + more + left)
            try connect()
            socket.read()
        }
        #expect(reads.count == limit + more + 2)
        // One is waited for, and no more than that.
        for connection in connections.dropLast() { _ = try connection.finish() }
        socket.embeddedEventLoop.run()
        #expect(reads.count == limit + more + 3)
        _ = try socket.finish()
        for connection in connections.suffix(1) { _ = try connection.finish() }
        socket.embeddedEventLoop.run()
        #expect(reads.count == limit + more + 3)
    }
}

import NIOCore
import NIOHTTP1
import NIOSSL

/// The handlers of each connection of a listener, in their order.
enum ConnectionChannel {
    static func setUp(_ channel: any Channel, by setups: LoopSetups) -> EventLoopFuture<any Channel> {
        channel.eventLoop.makeCompletedFuture {
            let setup = setups.setup(on: channel.eventLoop)
            let isExcess =
                setup.census.connectionOpened() > setup.limits.maximumConnections && !setup.closeMostSilent()
            channel.closeFuture.whenComplete { [census = setup.census] _ in census.connectionClosed() }
            let pipeline = channel.pipeline.syncOperations
            if isExcess, setup.sparePaths.isEmpty {
                setup.telemetry?.logExcess(from: channel.remoteAddress?.ipAddress)
                try pipeline.addHandler(ExcessConnectionHandler(isSecure: setup.tls != nil))
            } else {
                // A client that does not read gets no further answers.
                try pipeline.addHandler(BackPressureHandler())
                if let tls = setup.tls {
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls.files.context))
                    let peer = channel.remoteAddress?.ipAddress
                    try pipeline.addHandler(TLSHandshakeHandler { setup.telemetry?.recordTLSFailure($0, from: peer) })
                }
                try addRequests(to: pipeline, setup, on: channel.eventLoop, isSpare: isExcess)
            }
            return channel
        }
    }

    /// Adds the handlers that read requests and write their answers.
    static func addRequests(
        to pipeline: ChannelPipeline.SynchronousOperations,
        _ setup: ConnectionSetup,
        on loop: any EventLoop,
        isSpare: Bool = false
    ) throws {
        let connection = Connection(setup, on: loop, isSpare: isSpare)
        try pipeline.addHandler(BytesArrivalHandler(of: connection))
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = setup.limits.maximumHeaderBytes
        limits.maxHeaderListSize = setup.limits.maximumHeaderBytes
        limits.maxHeaderFieldCount = setup.limits.maximumHeaderFields
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(connection)
    }

    /// Waits until a connection is closed: soon, if the task is cancelled.
    static func awaitEnd(of channel: any Channel) async {
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.triggerUserOutboundEvent(Connection.TimeIsOver(), promise: nil)
        }
    }
}

/// Stands before the parser and reports bytes, and another protocol: the parser is silent until a head is complete.
private final class BytesArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: Connection
    private var hasBegun = false

    init(of connection: Connection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasBegun {
            hasBegun = true
            connection.foreignProtocol = ForeignProtocol(unwrapInboundIn(data).readableBytesView)
        }
        connection.bytesArrived()
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension BytesArrivalHandler: Sendable {}

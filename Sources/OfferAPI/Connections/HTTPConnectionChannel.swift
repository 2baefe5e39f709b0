import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL

/// The handlers of each connection of a listener, in their order, and what answers its requests.
struct HTTPConnectionChannel: ServerChildChannel {
    /// A connection, ready for its requests.
    struct Value: ServerChildChannelValue {
        /// The requests and their answers.
        let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
        /// The place of the request that is waiting.
        let progress: RequestProgress

        var channel: any Channel { parts.channel }
    }

    /// What all connections of an event loop have in common.
    let setups: LoopSetups
    /// Answers a request.
    let responder: HTTPChannelHandler.Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let setup = setups.setup(on: channel.eventLoop)
            let isExcess = setup.census.connectionOpened() > setup.limits.maximumConnections
            channel.closeFuture.whenComplete { [census = setup.census] _ in census.connectionClosed() }
            let pipeline = channel.pipeline.syncOperations
            let progress = RequestProgress(setup.admission)
            if isExcess {
                try pipeline.addHandler(ExcessConnectionHandler(isSecure: setup.isSecure))
            } else {
                // Who does not read gets nothing more to read.
                try pipeline.addHandler(BackPressureHandler())
                if let tls = setup.tls {
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls.context))
                    try pipeline.addHandler(TLSHandshakeHandler(noteFailure: setup.noteTLSFailure))
                }
                let arrivals = BytesArrivalHandler()
                try pipeline.addHandler(arrivals)
                var decoding = NIOHTTPDecoderLimitConfiguration()
                decoding.maxHeaderFieldSize = setup.limits.maximumHeaderBytes
                decoding.maxHeaderListSize = setup.limits.maximumHeaderBytes
                decoding.maxHeaderFieldCount = setup.limits.maximumHeaderFields
                // What goes out comes from `HTTPFields`, which hold no value that ends a line, or from constants.
                try pipeline.configureHTTPServerPipeline(
                    withPipeliningAssistance: false,
                    withErrorHandling: false,
                    withOutboundHeaderValidation: false,
                    withEncoderConfiguration: .init(),
                    withDecoderLimitConfiguration: decoding
                )
                try pipeline.addHandler(HTTPConnectionHandler(setup, arrivals: arrivals, progress: progress))
            }
            let parts = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
            return Value(parts: parts, progress: progress)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let connection = HTTP1Channel { [responder] request, writer, channel in
            value.progress.begin()
            try await responder(request, writer, channel)
        }
        await connection.handle(value: value.parts, logger: logger)
    }
}

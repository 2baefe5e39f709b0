import Glibc
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// One listening socket, as a service that starts and drains with the others.
package struct HTTPListener: Service {
    private let host: String
    private let port: Int
    private let settings: String
    private let rules: ListenerRules
    private let onListening: @Sendable (String, @escaping @Sendable () -> Void) async -> Void

    /// Creates a listener, which listens when it runs; `port` 0 is any free one.
    ///
    /// `settings` is the key path of host and port, for the fault of a start. `onListening` gets the address, such as
    /// `http://127.0.0.1:8080`, once it has the port; connections are accepted once it has called what it gets with it.
    package init(
        host: String,
        port: Int,
        settings: String,
        rules: ListenerRules,
        onListening: @escaping @Sendable (String, _ accept: @escaping @Sendable () -> Void) async -> Void
    ) {
        self.host = host
        self.port = port
        self.settings = settings
        self.rules = rules
        self.onListening = onListening
    }

    /// Listens until a graceful shutdown, then finishes requests in flight.
    ///
    /// Throws ``ServiceFailure`` when the address cannot be listened on. After a cancellation, the census has the
    /// number of requests that were cut off.
    package func run() async throws {
        let quiescing = ServerQuiescingHelper(group: rules.eventLoops)
        let shownHost = host.contains(":") ? "[\(host)]" : host
        let socket: NIOAsyncChannel<any Channel, Never>
        do {
            socket = try await listen(quiescing)
        } catch {
            let number = (error as? IOError)?.errnoCode
            let reason = number.map { String(cString: strerror($0)) + fix(of: $0) } ?? "\(error)"
            throw ServiceFailure("cannot listen on \(shownHost):\(port): \(reason)")
        }
        await withGracefulShutdownHandler {
            let scheme = rules.tls == nil ? "http" : "https"
            await onListening("\(scheme)://\(shownHost):\(socket.channel.localAddress?.port ?? port)") {
                socket.channel.setOption(.autoRead, value: true).whenComplete { _ in }
            }
            await withDiscardingTaskGroup { group in
                // It ends with the socket, and that at a stop.
                try? await socket.executeThenClose { connections in
                    for try await connection in connections {
                        group.addTask { await ConnectionChannel.awaitEnd(of: connection) }
                    }
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    private func listen(_ quiescing: ServerQuiescingHelper) async throws -> NIOAsyncChannel<any Channel, Never> {
        try await ServerBootstrap(group: rules.eventLoops)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.autoRead, value: false)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { [rules] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let most = rules.limits.maximumConnections
                    try pipeline.addHandler(ConnectionCap(census: rules.census, maximumConnections: most))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .bind(host: host, port: port) { [rules] in ConnectionChannel.setUp($0, by: rules.setups) }
    }

    /// The setting at fault and the fix, to follow the system's reason; empty where that says all that is known.
    private func fix(of number: CInt) -> String {
        switch number {
        case EADDRINUSE: "; stop the other program that listens there, or set another \(settings).port"
        case EADDRNOTAVAIL: "; this machine has no such address: set another \(settings).host"
        case EACCES: "; ports below 1024 are for root and CAP_NET_BIND_SERVICE: set another \(settings).port"
        default: ""
        }
    }
}

/// The failure, in one line, of a service that could not start, or not stop within its time.
package struct ServiceFailure: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The failure of a drain, by the census after its end; `nil` when every request was answered.
    package init?(of census: ConnectionCensus) {
        let requests = census.requestsCutOff
        guard requests > 0 else { return nil }
        description =
            "the drain took longer than server.drainTimeoutSeconds: "
            + (requests == 1 ? "1 request was cut off" : "\(requests) requests were cut off")
    }
}

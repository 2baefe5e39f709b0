import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// One listening socket, as a service that starts and drains with the others.
public struct HTTPListener: Service {
    private let server: Server<ConnectionChannel>
    private let address: String

    /// Creates a listener; it listens when it runs.
    ///
    /// - Parameters:
    ///   - host: The address or name to listen on.
    ///   - port: The port; 0 for any free one.
    ///   - rules: What a connection may do, and what answers its requests.
    ///   - onListening: Called with the address, such as `http://127.0.0.1:8080`, once requests are accepted.
    public init(
        host: String,
        port: Int,
        rules: ListenerRules,
        onListening: @escaping @Sendable (String) async -> Void
    ) {
        let name = host
        let host = host.contains(":") ? "[\(host)]" : host
        let scheme = rules.tls == nil ? "http" : "https"
        address = "\(host):\(port)"
        // Hummingbird logs what its own shutdown does to connections as errors; what matters is thrown as well.
        var silent = Logger(label: "hummingbird")
        silent.logLevel = .critical
        server = Server(
            childChannelSetup: ConnectionChannel(setups: rules.setups),
            configuration: ServerConfiguration(
                address: .hostname(name, port: port),
                backlog: 1024,
                availableConnectionsDelegate: ConnectionCap(
                    census: rules.census,
                    maximumConnections: rules.limits.maximumConnections
                )
            ),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                await onListening("\(scheme)://\(host):\(port)")
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: silent
        )
    }

    /// Listens until a graceful shutdown, then finishes what is in flight.
    ///
    /// When it is cancelled before, the census keeps how many requests were cut off.
    ///
    /// - Throws: `ListenFailure` when the address cannot be listened on.
    public func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError {
            throw ListenFailure(address: address, detail: String(cString: strerror(error.errnoCode)))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ListenFailure(address: address, detail: "\(error)")
        }
    }
}

/// An address cannot be listened on, or no longer.
public struct ListenFailure: Error, Equatable, CustomStringConvertible {
    /// The address as it was configured, such as `127.0.0.1:8080`.
    public let address: String
    /// The system's words.
    public let detail: String

    /// The failure in one line.
    public var description: String { "cannot listen on \(address): \(detail)" }
}

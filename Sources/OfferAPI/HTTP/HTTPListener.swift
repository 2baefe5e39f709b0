import Glibc
public import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import ServiceLifecycle

/// One listening socket with its responder, as a service that starts and drains with the others.
public struct HTTPListener<Responder: HTTPResponder>: Service where Responder.Context == ServiceRequestContext {
    private let application: Application<Responder>
    private let address: String

    /// Creates a listener; it listens when it runs.
    ///
    /// - Parameters:
    ///   - host: The address or name to listen on.
    ///   - port: The port; 0 for any free one.
    ///   - responder: Answers the requests.
    ///   - rules: What a connection may do, and which requests are worth answering.
    ///   - onListening: Called with the address, such as `http://127.0.0.1:8080`, once requests are accepted.
    public init(
        host: String,
        port: Int,
        responder: Responder,
        rules: ListenerRules = ListenerRules(),
        onListening: @escaping @Sendable (String) async -> Void
    ) {
        let name = host
        let host = host.contains(":") ? "[\(host)]" : host
        let scheme = rules.tls == nil ? "http" : "https"
        let setups = rules.setups
        address = "\(host):\(port)"
        // Hummingbird logs what its own shutdown does to connections as errors; what matters is thrown as well.
        var silent = Logger(label: "hummingbird")
        silent.logLevel = .critical
        self.application = Application(
            responder: responder,
            server: HTTPServerBuilder { HTTPConnectionChannel(setups: setups, responder: $0) },
            configuration: ApplicationConfiguration(
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
            try await application.run()
        } catch let error as IOError {
            throw ListenFailure(address: address, detail: String(cString: strerror(error.errnoCode)))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ListenFailure(address: address, detail: "\(error)")
        }
    }
}

import Glibc
public import Hummingbird
import Logging
import NIOCore
public import ServiceLifecycle

/// One listening socket with its responder, as a service that starts and drains with the others.
public struct HTTPListener<Responder: HTTPResponder>: Service where Responder.Context == ServiceRequestContext {
    /// How long a connection may be idle before it is closed, in seconds.
    private static var idleTimeoutSeconds: Int64 { 75 }

    private let application: Application<Responder>
    private let address: String

    /// Creates a listener; it listens when it runs.
    ///
    /// - Parameters:
    ///   - host: The address or name to listen on.
    ///   - port: The port; 0 for any free one.
    ///   - responder: Answers the requests.
    ///   - onListening: Called with the address, such as `http://127.0.0.1:8080`, once requests are accepted.
    public init(
        host: String,
        port: Int,
        responder: Responder,
        onListening: @escaping @Sendable (String) async -> Void
    ) {
        let name = host
        let host = host.contains(":") ? "[\(host)]" : host
        address = "\(host):\(port)"
        // Hummingbird logs what its own shutdown does to connections as errors; what matters is thrown as well.
        var silent = Logger(label: "hummingbird")
        silent.logLevel = .critical
        self.application = Application(
            responder: responder,
            server: .http1(configuration: .init(idleTimeout: .seconds(Self.idleTimeoutSeconds))),
            configuration: ApplicationConfiguration(address: .hostname(name, port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                await onListening("http://\(host):\(port)")
            },
            logger: silent
        )
    }

    /// Listens until a graceful shutdown, then finishes what is in flight.
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

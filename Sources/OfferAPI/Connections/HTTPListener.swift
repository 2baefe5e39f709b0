import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// One listening socket, as a service that starts and drains with the others.
package struct HTTPListener: Service {
    private let server: Server<ConnectionChannel>
    private let address: String
    private let settings: String

    /// Creates a listener, which listens when it runs; `port` 0 is any free one.
    ///
    /// `settings` is the key path of host and port, for the fault of a start. `onListening` gets the address, such as
    /// `http://127.0.0.1:8080`, once requests are accepted.
    package init(
        host: String,
        port: Int,
        settings: String,
        rules: ListenerRules,
        onListening: @escaping @Sendable (String) async -> Void
    ) {
        self.settings = settings
        let name = host
        let host = host.contains(":") ? "[\(host)]" : host
        let scheme = rules.tls == nil ? "http" : "https"
        address = "\(host):\(port)"
        // Hummingbird logs the effects of its own shutdown on connections as errors; faults that matter are thrown as
        // well.
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
            eventLoopGroup: rules.eventLoops,
            logger: silent
        )
    }

    /// Listens until a graceful shutdown, then finishes requests in flight.
    ///
    /// Throws ``ServiceFailure`` when the address cannot be listened on. After a cancellation, the census has the
    /// number of requests that were cut off.
    package func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw ServiceFailure("cannot listen on \(address): \(reason)\(fix(of: error.errnoCode))")
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ServiceFailure("cannot listen on \(address): \(error)")
        }
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

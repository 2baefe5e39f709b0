import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Offers

extension SimulatedAppStore {
    /// Listens, on any free port for 0, and answers until SIGTERM or SIGINT; sends the notifications that are due.
    package func run(
        host: String,
        port: Int,
        onListening: @escaping @Sendable (Int) async -> Void
    ) async throws(SimulatorFault) {
        do {
            try await application(host: host, port: port, onListening: onListening).runService()
        } catch let error as IOError {
            throw SimulatorFault("cannot listen on \(host):\(port): \(String(cString: strerror(error.errnoCode)))")
        } catch {
            throw SimulatorFault("cannot listen on \(host):\(port): \(error)")
        }
    }

    func application(
        host: String,
        port: Int,
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router(context: SimulatorContext.self)
        router.add(middleware: ErrorMiddleware())
        AppleRoutes(store: self, environment: .production).add(to: router)
        AppleRoutes(store: self, environment: .sandbox).add(to: router.group("sandbox"))
        ConnectRoutes(store: self).add(to: router)
        let own = router.group("simulator")
        StoreKitRoutes(store: self).add(to: own)
        ControlRoutes(store: self).add(to: own)
        RetentionControlRoutes(store: self).add(to: own)
        var silent = Logger(label: "hummingbird")
        silent.logLevel = .critical
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            services: [NotificationSender(store: self), PerformanceTester(store: self)],
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) },
            logger: silent
        )
    }
}

/// A request's context with its connection, which an outage closes.
struct SimulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// No request to the App Store is larger.
    var maxUploadSize: Int { 4 * 1024 * 1024 }
}

/// Answers what is thrown inside, each kind as its side of the simulator does.
struct ErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: SimulatorContext,
        next: (Request, SimulatorContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServerAPIError {
            return .json(error.json, status: .init(code: error.status))
        } catch let error as StoreKitError {
            return .json(error.json, status: .unprocessableContent)
        } catch let fault as RequestFault {
            var response = Response.json(fault.json, status: .init(code: fault.status))
            response.headers[.contentType] = "application/problem+json"
            return response
        } catch let error as HTTPError where error.status == .notFound {
            return .json(ServerAPIError.noSuchCall.json, status: .notFound)
        }
    }
}

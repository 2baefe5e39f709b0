import Logging
import OfferAPI
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The running service: its listeners, and the order in which they start and drain.
struct ServiceComposition {
    private let service: LoadedService

    /// Composes the service; nothing listens yet.
    ///
    /// - Parameter service: What the configuration describes.
    init(_ service: LoadedService) {
        self.service = service
    }

    /// Runs until SIGTERM or SIGINT, then finishes what is in flight.
    ///
    /// - Throws: What kept a listener from listening, or the drain from ending in time.
    func run() async throws {
        let settings = service.settings
        let readiness = Readiness(warnings: service.warnings.map(\.description))
        let announcement = Announcement(readiness: readiness)
        var logger = Logger(label: "offer-signer")
        logger.logLevel = .notice
        let admin = HTTPListener(
            host: settings.admin.address.host,
            port: settings.admin.address.port,
            responder: AdminAPI.responder(readiness: readiness, version: Version.current, logger: logger),
            onListening: { announcement.adminListens(at: $0) }
        )
        let signOffers = service.signOffers()
        let signatures = SignaturesEndpoint(clients: service.clients, signOffers: signOffers)
        let eligibility = EligibilityEndpoint(clients: service.clients, signOffers: signOffers)
        let api = HTTPListener(
            host: settings.server.address.host,
            port: settings.server.address.port,
            responder: PublicAPI.responder(
                signatures: signatures,
                eligibility: eligibility,
                productReports: ProductReportsEndpoint(clients: service.clients, reports: service.productReports()),
                logger: logger
            ),
            onListening: { announcement.serverListens(at: $0) }
        )
        let drain = DrainDelay(seconds: settings.server.drainDelaySeconds, readiness: readiness)
        // Drained from the last to the first: readiness is told first, and the admin listener tells it to the end.
        var silent = logger
        silent.logLevel = .critical
        var configuration = ServiceGroupConfiguration(
            services: [admin, api, HangUpNotice(logger: logger), drain],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: silent
        )
        let patience = settings.server.drainDelaySeconds + settings.server.drainTimeoutSeconds
        configuration.maximumGracefulShutdownDuration = .seconds(patience)
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// Says on standard output where the service is, once both listeners accept requests.
private final class Announcement: Sendable {
    private struct Addresses {
        var server: String?
        var admin: String?
    }

    private let addresses = Mutex(Addresses())
    private let readiness: Readiness

    init(readiness: Readiness) {
        self.readiness = readiness
    }

    func serverListens(at address: String) { note { $0.server = address } }

    func adminListens(at address: String) { note { $0.admin = address } }

    private func note(_ change: (inout Addresses) -> Void) {
        let addresses = addresses.withLock { addresses in
            change(&addresses)
            return addresses
        }
        guard let server = addresses.server, let admin = addresses.admin else { return }
        readiness.enter(.ready)
        Console.result("offer-signer \(Version.current) is serving \(server), admin \(admin)")
    }
}

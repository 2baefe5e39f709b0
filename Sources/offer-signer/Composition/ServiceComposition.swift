import AppStore
import LogLines
import Logging
import OfferAPI
import OfferService
import ServiceLifecycle
import Storage
import SubscriptionKeys
import Synchronization
import UnixSignals

/// The running service: its listeners, and the order in which they start and drain.
struct ServiceComposition {
    // Nothing here holds on to keys but `current`, so that a reload can let them go.
    private let current: SnapshotInUse
    private let lifelong: LifelongParts
    private let source: ConfigurationSource

    /// Composes the service; nothing listens yet.
    ///
    /// - Parameters:
    ///   - service: What the configuration describes.
    ///   - ledger: The ledger, which is closed when the service has run.
    ///   - source: Where to read it again.
    ///   - log: Where log lines go.
    init(_ service: consuming LoadedService, _ ledger: OpenLedger, from source: ConfigurationSource, log: LogOutput) {
        lifelong = LifelongParts(ledger: ledger, log: log)
        current = SnapshotInUse(ServiceSnapshot(service, lifelong))
        self.source = source
    }

    /// Runs until SIGTERM or SIGINT, then finishes what is in flight.
    ///
    /// - Throws: What kept a listener from listening, or the drain from ending in time.
    func run() async throws {
        let settings = current.value.service.settings
        let logger = Logger(label: "offer-signer")
        if let reason = current.value.service.keyMemory?.whyNotSecret {
            logger.notice("keys are not in secret memory", metadata: ["reason": "\(reason)"])
        }
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let (clock, telemetry, ledger) = (lifelong.clock, lifelong.telemetry, lifelong.ledger)
        let tls = settings.server.tls.map(TLSIdentity.init)
        let reload = Reload(source: source, current: current, tls: tls, logger: logger)
        let rules = ListenerRules(
            limits: settings.server.limits,
            census: lifelong.connections,
            tls: tls,
            failures: lifelong.failedAuthentications,
            admission: telemetry.admission,
            answers: { [current, lifelong] number in
                LoopAnswers(
                    endpoints: current.endpoints(onLoop: number),
                    metrics: lifelong.loops[number % lifelong.loops.count].requests,
                    logger: Logger(label: "offer-signer")
                )
            }
        )
        if let warning = OpenFiles.makeRoom(
            for: settings.server.limits.maximumConnections,
            otherListeners: settings.notifications == nil ? 1 : 2
        ) {
            logger.warning("\(warning)")
        }
        let readiness = Readiness { [current] in
            Self.details(current.value.service, reload, clock, ledger)
        }
        let announcement = Announcement(readiness: readiness, expectsNotifications: settings.notifications != nil)
        let admin = HTTPListener(
            host: settings.admin.address.host,
            port: settings.admin.address.port,
            responder: AdminAPI.responder(
                readiness: readiness,
                metrics: { [current] in await telemetry.page(current.value, isReady: readiness.isReady) },
                version: Version.current,
                logger: logger
            ),
            onListening: { announcement.adminListens(at: $0) }
        )
        let api = HTTPListener(
            host: settings.server.address.host,
            port: settings.server.address.port,
            responder: PublicAPI.responder(
                endpoints: { [current] in current.value.endpoints },
                metrics: telemetry.requests,
                logger: logger
            ),
            rules: rules,
            onListening: { announcement.serverListens(at: $0) }
        )
        let notifications = settings.notifications.map { settings in
            HTTPListener(
                host: settings.address.host,
                port: settings.address.port,
                responder: NotificationsAPI.responder(
                    endpoint: { [current] in current.value.notifications },
                    metrics: telemetry.requests,
                    logger: logger
                ),
                rules: ListenerRules(notificationsCountedBy: telemetry.requests, logger: logger),
                onListening: { announcement.notificationsListen(at: $0) }
            )
        }
        let drain = DrainDelay(
            seconds: settings.server.drainDelaySeconds,
            readiness: readiness,
            census: lifelong.connections
        )
        // Drained from the last to the first: readiness is told first, and the admin listener tells it to the end.
        var silent = logger
        silent.logLevel = .critical
        let checkup = Checkup(
            selfTestKeys: { [current] in current.value.service.selfTestKeys() },
            clockFault: { clock.fault?.description },
            logger: logger
        )
        let services: [(name: String, service: (any Service)?)] = [
            ("admin", admin), ("notifications", notifications), ("server", api),
            ("reload", ReloadOnHangUp(hangUps: hangUps, reload: reload)), ("checkup", checkup), ("drain", drain),
        ]
        var configuration = ServiceGroupConfiguration(
            // Named, because the group would write out all that a service holds for its name, and keep it.
            services: services.compactMap { name, service in
                service.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: name) }
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: silent
        )
        let patience = settings.server.drainDelaySeconds + settings.server.drainTimeoutSeconds
        configuration.maximumGracefulShutdownDuration = .seconds(patience)
        let group = ServiceGroup(configuration: configuration)
        do {
            try await group.run()
        } catch {
            await ledger.close()
            await lifelong.appStoreTransport.shutdown()
            throw error
        }
        await ledger.close()
        await lifelong.appStoreTransport.shutdown()
        if let failure = DrainFailure(of: lifelong.connections) { throw failure }
    }

    private static func details(
        _ service: LoadedService,
        _ reload: Reload,
        _ clock: ClockMonitor,
        _ ledger: OpenLedger
    ) -> ReadinessDetails {
        ReadinessDetails(
            warnings: service.warnings.map(\.description) + reload.restartWarnings(of: service) + ledger.warnings,
            faults: service.keyFaults + [clock.fault?.description, ledger.fault].compactMap(\.self),
            keyMemory: service.keyMemoryName,
            reloads: reload.record
        )
    }
}

/// Says on standard output where the service is, once its listeners accept requests.
private final class Announcement: Sendable {
    private struct Addresses {
        var server: String?
        var admin: String?
        var notifications: String?
    }

    private let addresses = Mutex(Addresses())
    private let readiness: Readiness
    private let expectsNotifications: Bool

    init(readiness: Readiness, expectsNotifications: Bool) {
        self.readiness = readiness
        self.expectsNotifications = expectsNotifications
    }

    func serverListens(at address: String) { note { $0.server = address } }

    func adminListens(at address: String) { note { $0.admin = address } }

    func notificationsListen(at address: String) { note { $0.notifications = address } }

    private func note(_ change: (inout Addresses) -> Void) {
        let addresses = addresses.withLock { addresses in
            change(&addresses)
            return addresses
        }
        guard let server = addresses.server, let admin = addresses.admin,
            !expectsNotifications || addresses.notifications != nil
        else { return }
        readiness.enter(.ready)
        let more = addresses.notifications.map { ", notifications \($0)" } ?? ""
        // Whoever should have read the line may be gone; requests are answered all the same.
        try? Console.result("offer-signer \(Version.current) is serving \(server), admin \(admin)\(more)")
    }
}

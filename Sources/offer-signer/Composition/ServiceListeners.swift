import Logging
import NIOCore
import OfferAPI
import OfferService
import ServiceLifecycle
import Synchronization

/// The listeners of the service, each with its endpoint.
struct ServiceListeners {
    let server: any Service
    let admin: any Service
    /// `nil` where there is none.
    let notifications: (any Service)?

    /// Nothing listens yet.
    ///
    /// `maximumConnections` is for clients alone; without an `overview` there is no page.
    init(
        of current: SnapshotInUse,
        _ lifelong: LifelongParts,
        maximumConnections: Int,
        readiness: Readiness,
        announcement: Announcement,
        overview: Overview?,
        logger: Logger,
        faults: RepeatedFaults
    ) {
        let settings = current.value.service.settings
        let limits = ConnectionLimits(settings)
        let telemetry = lifelong.telemetry
        server = HTTPListener(
            host: settings.listeners.server.host,
            port: settings.listeners.server.port,
            settings: "server",
            rules: ListenerRules(
                limits: limits.lettingIn(maximumConnections),
                census: lifelong.connections,
                tls: lifelong.tls,
                endpoints: { current.value.endpoints },
                metrics: telemetry.requests,
                logger: logger,
                faults: faults
            ),
            onListening: { await announcement.serverListens(at: $0, $1) }
        )
        let monitoring = AdminAPI.calls(
            readiness: readiness,
            metrics: { telemetry.page(current.value, readiness) },
            version: Version.current
        )
        let page = overview.map { overview in OperatorsPage.calls { await overview.json() } } ?? []
        admin = HTTPListener(
            host: settings.listeners.admin.host,
            port: settings.listeners.admin.port,
            settings: "admin",
            rules: ListenerRules(
                operators: monitoring + page,
                forms: { current.value.forms },
                hosts: { PageHosts(current.value.service.settings.adminHosts) },
                limits: limits
            ),
            onListening: { await announcement.adminListens(at: $0, $1) }
        )
        notifications = settings.listeners.notifications.map { address in
            HTTPListener(
                host: address.host,
                port: address.port,
                settings: "notifications",
                rules: ListenerRules(
                    apple: NotificationsAPI.calls(
                        notifications: { current.value.notifications },
                        retention: { current.value.retention },
                        logger: logger,
                        faults: faults
                    ),
                    limits: limits,
                    metrics: telemetry.requests,
                    logger: logger,
                    faults: faults
                ),
                onListening: { await announcement.notificationsListen(at: $0, $1) }
            )
        }
    }
}

extension ConnectionLimits {
    init(_ settings: Settings) {
        func seconds(_ number: Int) -> TimeAmount { .seconds(Int64(number)) }
        self.init(
            maximumConnections: settings.maximumConnections,
            maximumHeaderBytes: settings.maximumHeaderBytes,
            maximumEvidenceBodyBytes: settings.maximumEvidenceBodyBytes,
            maximumBodyBytes: settings.maximumBodyBytes,
            maximumUnfinishedBytes: settings.maximumUnfinishedBytes,
            idleTimeout: seconds(settings.idleTimeoutSeconds),
            headerTimeout: seconds(settings.headerTimeoutSeconds),
            requestTimeout: seconds(settings.requestTimeoutSeconds),
            answerTimeout: seconds(settings.requestTimeoutSeconds) + seconds(settings.appStoreTimeoutSeconds),
            maximumWaitingOffers: settings.maximumWaitingOffers
                ?? Self.waitingOffers(ofLoops: ListenerRules.eventLoopCount)
        )
    }
}

/// Has all listeners accept connections once each has its port, and says on standard output where they are.
final class Announcement: Sendable {
    private struct Addresses {
        var server: String?
        var admin: String?
        var notifications: String?
        var accepts: [@Sendable () -> Void] = []
    }

    private let addresses = Mutex(Addresses())
    private let readiness: Readiness
    private let expectsNotifications: Bool
    private let prepare: @Sendable () async -> Void

    /// `prepare` is called before any connection is accepted: what it records is of a start that succeeded.
    init(readiness: Readiness, expectsNotifications: Bool, prepare: @escaping @Sendable () async -> Void) {
        self.readiness = readiness
        self.expectsNotifications = expectsNotifications
        self.prepare = prepare
    }

    func serverListens(at address: String, _ accept: @escaping @Sendable () -> Void) async {
        await update(accept) { $0.server = address }
    }

    func adminListens(at address: String, _ accept: @escaping @Sendable () -> Void) async {
        await update(accept) { $0.admin = address }
    }

    func notificationsListen(at address: String, _ accept: @escaping @Sendable () -> Void) async {
        await update(accept) { $0.notifications = address }
    }

    private func update(_ accept: @escaping @Sendable () -> Void, _ change: (inout Addresses) -> Void) async {
        let addresses = addresses.withLock { addresses in
            change(&addresses)
            addresses.accepts.append(accept)
            return addresses
        }
        guard let server = addresses.server, let admin = addresses.admin,
            !expectsNotifications || addresses.notifications != nil
        else { return }
        await prepare()
        for accept in addresses.accepts { accept() }
        readiness.enter(.ready)
        let more = addresses.notifications.map { ", notifications \($0)" } ?? ""
        // The reader of the line may be gone; requests are answered all the same.
        var places: Logger.Metadata = ["server": "\(server)", "admin": "\(admin)"]
        places["notifications"] = addresses.notifications.map { "\($0)" }
        try? Console.announce("offer-signer \(Version.current) is serving \(server), admin \(admin)\(more)", places)
    }
}

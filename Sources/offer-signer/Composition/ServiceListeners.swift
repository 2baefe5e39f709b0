import Logging
import NIOCore
import OfferAPI
import OfferService
import ServiceLifecycle

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
        tls: TLSIdentity?,
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
                tls: tls,
                endpoints: { current.value.endpoints },
                metrics: telemetry.requests,
                logger: logger,
                faults: faults
            ),
            onListening: { announcement.serverListens(at: $0) }
        )
        let responder = AdminAPI.responder(
            readiness: readiness,
            metrics: { await telemetry.page(current.value, readiness) },
            version: Version.current,
            page: overview.map { overview in OperatorsPage { await overview.json() } },
            logger: logger
        )
        admin = HTTPListener(
            host: settings.listeners.admin.host,
            port: settings.listeners.admin.port,
            settings: "admin",
            rules: overview == nil
                ? ListenerRules(operators: responder, limits: limits)
                : ListenerRules(
                    operators: responder,
                    forms: { current.value.forms },
                    hosts: { PageHosts(current.value.service.settings.adminHosts) },
                    limits: limits
                ),
            onListening: { announcement.adminListens(at: $0) }
        )
        notifications = settings.listeners.notifications.map { address in
            HTTPListener(
                host: address.host,
                port: address.port,
                settings: "notifications",
                rules: ListenerRules(
                    apple: NotificationsAPI.responder(
                        endpoint: { current.value.notifications },
                        retention: { current.value.retention },
                        logger: logger
                    ),
                    limits: limits,
                    metrics: telemetry.requests,
                    logger: logger
                ),
                onListening: { announcement.notificationsListen(at: $0) }
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

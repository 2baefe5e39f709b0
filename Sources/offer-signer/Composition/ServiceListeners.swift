import Logging
import NIOCore
import OfferAPI
import OfferService
import ServiceLifecycle

/// The listeners of the service, each with what answers its requests.
struct ServiceListeners {
    /// Where backends ask.
    let server: any Service
    /// Where operators look.
    let admin: any Service
    /// Where Apple's notifications are taken; `nil` for nowhere.
    let notifications: (any Service)?

    /// Makes them; nothing listens yet.
    ///
    /// - Parameters:
    ///   - current: The configuration in use, which each request looks up.
    ///   - lifelong: What is not reloaded.
    ///   - tls: By what the public listener is known; `nil` for plain HTTP.
    ///   - maximumConnections: How many connections clients may have.
    ///   - readiness: The source of the operators' answers.
    ///   - announcement: Announces the addresses once they listen.
    ///   - overview: What the operators' page shows; `nil` where there is no page.
    ///   - logger: Where requests have their lines, and unforeseen errors.
    ///   - faults: Logs what keeps requests from being answered.
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
    /// The limits of the public listener's connections.
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
        )
    }
}

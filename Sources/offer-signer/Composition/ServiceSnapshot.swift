import AppStore
import OfferAPI
import OfferService
import Offers
import Storage

/// The configured service, composed and ready to answer: one value that a reload replaces as a whole.
///
/// It owns the keys of its configuration, so that a key that is no longer configured goes with the last request that
/// began before the reload. It is a class, so that asking for a part of it copies nothing else.
final class ServiceSnapshot: Sendable {
    let service: LoadedService
    let lifelong: LifelongParts
    let appStore: AppStoreEvidenceFetcher
    let endpoints: PublicEndpoints
    /// The endpoints behind the forms of the operators' page: nothing is signed, recorded, counted or learnt.
    let forms: PublicEndpoints
    let notifications: NotificationsEndpoint<AppStoreNotificationReader>
    let retention: RetentionEndpoint

    init(_ service: LoadedService, _ lifelong: LifelongParts) {
        self.service = service
        self.lifelong = lifelong
        appStore = service.appStoreFetcher(with: lifelong)
        let productReports = service.productReports(in: lifelong.ledger.productReports)
        let diagnoseReports = service.diagnoseReports(
            remembering: lifelong.memory,
            recalling: lifelong.ledger.recall
        )
        endpoints = PublicEndpoints(
            clients: service.clients(usages: lifelong.clientUsages),
            signOffers: service.signOffers(
                asking: appStore,
                recordingIn: lifelong.ledger.ledger,
                with: lifelong
            ),
            productReports: productReports,
            diagnoseReports: diagnoseReports
        )
        forms = PublicEndpoints(
            clients: service.clients(usages: lifelong.clientUsages),
            signOffers: service.signOffers(
                asking: appStore.keepingNothing,
                recordingIn: lifelong.ledger.ledger,
                with: nil,
                remembering: lifelong.memory.readOnly
            ),
            productReports: productReports,
            diagnoseReports: diagnoseReports
        )
        notifications = NotificationsEndpoint(
            takeNotifications: TakeNotifications(
                reader: service.notificationReader(reportingTo: lifelong.clock),
                memory: lifelong.memory,
                metrics: lifelong.telemetry.notifications,
                now: WallClock.now
            )
        )
        retention = RetentionEndpoint(calls: service.retentionCalls(asking: appStore, with: lifelong))
    }
}

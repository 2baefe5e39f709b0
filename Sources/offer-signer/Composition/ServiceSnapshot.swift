import AppStore
import OfferAPI
import OfferService
import Storage

/// What the configuration describes, composed and ready to answer: one value that a reload replaces as a whole.
///
/// It owns the keys of its configuration, so that one that is no longer configured goes with the last request that
/// began before the reload. It is a class so that asking for a part of it copies nothing else.
final class ServiceSnapshot: Sendable {
    /// Settings, warnings and keys.
    let service: LoadedService
    /// What outlives a reload.
    let lifelong: LifelongParts
    /// What asks the App Store.
    let appStore: AppStoreEvidenceFetcher
    /// What clients call.
    let endpoints: PublicEndpoints

    /// What Apple calls.
    let notifications: NotificationsEndpoint<AppStoreNotificationReader>

    /// Composes what was loaded.
    ///
    /// - Parameters:
    ///   - service: What the configuration describes.
    ///   - lifelong: What was there before, and stays.
    init(_ service: LoadedService, _ lifelong: LifelongParts) {
        self.service = service
        self.lifelong = lifelong
        appStore = service.appStoreFetcher(with: lifelong)
        endpoints = PublicEndpoints(
            clients: service.clients(usages: lifelong.clientUsages),
            signOffers: service.signOffers(asking: appStore, recordingIn: lifelong.ledger.ledger, with: lifelong),
            productReports: service.productReports(in: lifelong.ledger.productReports),
            diagnoseReports: service.diagnoseReports(remembering: lifelong.memory, recalling: lifelong.ledger.recall)
        )
        notifications = NotificationsEndpoint(
            takeNotifications: TakeNotifications(
                reader: service.notificationReader(telling: lifelong.clock),
                memory: lifelong.memory,
                metrics: lifelong.telemetry.notifications,
                now: WallClock.now
            )
        )
    }
}

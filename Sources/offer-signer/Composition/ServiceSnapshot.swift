import AppStore
import OfferAPI
import OfferService
import Offers
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
    /// What clients call: one for each event loop, or where the catalog is large one for several of them or for all, never
    /// none.
    private let loops: [PublicEndpoints]
    /// What Apple calls.
    let notifications: NotificationsEndpoint<AppStoreNotificationReader>

    /// How many offers may be in the event loops' copies of the catalog together, so that neither memory nor the time of
    /// a start grows with both the catalog and the processors.
    private static let mostCopiedOffers = 16_384

    /// What clients call on an event loop.
    ///
    /// - Parameter number: The event loop's number, from 0.
    /// - Returns: The loop's own, or one that it shares.
    func endpoints(onLoop number: Int) -> PublicEndpoints { loops[number % loops.count] }

    /// Composes what was loaded.
    ///
    /// - Parameters:
    ///   - service: What the configuration describes.
    ///   - lifelong: What was there before, and stays.
    init(_ service: LoadedService, _ lifelong: LifelongParts) {
        self.service = service
        self.lifelong = lifelong
        appStore = service.appStoreFetcher(with: lifelong)
        let productReports = service.productReports(in: lifelong.ledger.productReports)
        let diagnoseReports = service.diagnoseReports(
            remembering: lifelong.memory,
            recalling: lifelong.ledger.recall
        )
        let endpoints = { [appStore] (loop: LoopParts?) in
            PublicEndpoints(
                clients: service.clients(usages: lifelong.clientUsages, on: loop),
                signOffers: service.signOffers(
                    asking: appStore,
                    recordingIn: lifelong.ledger.ledger,
                    with: lifelong,
                    on: loop
                ),
                productReports: productReports,
                diagnoseReports: diagnoseReports
            )
        }
        let offers = service.settings.apps.reduce(1) { $0 + $1.app.offers.count }
        let copies = min(lifelong.loops.count, Self.mostCopiedOffers / offers)
        loops = copies > 1 ? lifelong.loops.prefix(copies).map(endpoints) : [endpoints(nil)]
        notifications = NotificationsEndpoint(
            takeNotifications: TakeNotifications(
                reader: service.notificationReader(reportingTo: lifelong.clock),
                memory: lifelong.memory,
                metrics: lifelong.telemetry.notifications,
                now: WallClock.now
            )
        )
    }
}

import AppStore
import CoreMetrics
import LogLines
import OfferAPI
import OfferService
import Offers
import Storage
import Synchronization

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
    let notifications: TakeNotifications<AppStoreNotificationReader>
    let catchUp: CatchUpNotifications<AppStoreNotificationReader>
    let retention: AnswerRetentionCalls

    init(_ service: LoadedService, _ lifelong: LifelongParts) {
        self.service = service
        self.lifelong = lifelong
        appStore = service.appStoreFetcher(with: lifelong)
        let productReports = service.productReports(in: lifelong.ledger.journal)
        let diagnoseReports = service.diagnoseReports(
            remembering: lifelong.memory,
            recalling: lifelong.ledger.recall
        )
        let redemptionFeed = RedemptionFeed(
            bundleIds: service.settings.apps.map(\.app.bundleId),
            store: lifelong.ledger.redemptions,
            permits: lifelong.waitingReaders
        )
        endpoints = PublicEndpoints(
            clients: service.clients(usages: lifelong.clientUsages),
            signOffers: service.signOffers(
                asking: appStore,
                recordingIn: lifelong.ledger.journal,
                with: lifelong,
                clock: lifelong.clock
            ),
            productReports: productReports,
            diagnoseReports: diagnoseReports,
            redemptionFeed: redemptionFeed
        )
        forms = PublicEndpoints(
            clients: service.clients(usages: lifelong.clientUsages),
            signOffers: service.signOffers(
                asking: appStore.keepingNothing,
                recordingIn: lifelong.ledger.journal,
                with: nil,
                remembering: lifelong.memory.readOnly,
                clock: lifelong.clock
            ),
            productReports: productReports,
            diagnoseReports: diagnoseReports,
            redemptionFeed: redemptionFeed
        )
        notifications = service.takeNotifications(
            remembering: lifelong.memory,
            reportingTo: lifelong.clock,
            metrics: lifelong.telemetry.notifications
        )
        catchUp = CatchUpNotifications(
            service.notificationHistory(over: lifelong.appStoreTransport, metrics: lifelong.telemetry.appStore),
            store: lifelong.ledger.historyProgress,
            takeNotifications: service.takeNotifications(remembering: lifelong.memory, reportingTo: lifelong.clock),
            by: .service,
            metrics: lifelong.telemetry.notificationHistory,
            now: WallClock.now
        )
        retention = service.retentionCalls(asking: appStore, with: lifelong)
    }
}

/// The snapshot that is in use, until a reload puts another in its place as a whole.
final class SnapshotInUse: Sendable {
    private let current: Mutex<ServiceSnapshot>

    init(_ snapshot: ServiceSnapshot) {
        current = Mutex(snapshot)
    }

    /// Stays the same for the caller: read it once for all that has to fit together.
    var value: ServiceSnapshot { current.withLock { $0 } }

    /// The old one goes when the last request that began with it is answered.
    func replace(by snapshot: ServiceSnapshot) {
        let old = current.withLock { current in
            let old = current
            current = snapshot
            return old
        }
        // Released outside of the lock: that may take some time.
        _ = consume old
    }
}

/// The parts that are made once and live as long as the process, whatever is reloaded: none holds a key.
struct LifelongParts: Sendable {
    let ledger: OpenLedger
    let appStoreTransport: AsyncHTTPTransport
    let connections = ConnectionCensus()
    /// The permits of requests that wait for redemptions.
    let waitingReaders = Permits(RedemptionFeed.mostWaiting)
    let clientUsages: ClientUsages
    let clock: ClockMonitor
    let memory: StateMemory
    let telemetry: Telemetry
    let log: LogOutput
    /// `nil` without TLS.
    let tls: TLSIdentity?

    init(ledger: OpenLedger, log: LogOutput, tls: TLSFiles?, maximumUnfinishedBytes: Int) {
        self.tls = tls.map(TLSIdentity.init)
        clientUsages = ClientUsages(maximumUnfinishedBytes: maximumUnfinishedBytes)
        self.ledger = ledger
        self.log = log
        clock = ledger.clock
        appStoreTransport = AsyncHTTPTransport(clock: clock)
        telemetry = Telemetry(ledger)
        memory = StateMemory(states: ledger.journal, digester: ledger.digestKey, draw: ledger.digestKey)
    }
}

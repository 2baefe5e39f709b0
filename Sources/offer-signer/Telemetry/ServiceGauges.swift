import AppStore
import CoreMetrics
import OfferAPI
import OfferService
import Offers
import Storage
import Synchronization

/// The gauges, which are updated when the metrics are read.
struct ServiceGauges: Sendable {
    private let ready: Meter
    private let lastReload: Meter
    private let warnings: LabelledGauge
    private let failedKeys: LabelledGauge
    private let clockFaults: LabelledGauge
    private let certificateEnd: LabelledGauge
    private let historyMarks: LabelledGauge
    private let redemptions: LabelledGauge
    private let offersNeverSeen: LabelledGauge
    private let offersNotInCatalog: LabelledGauge

    init(factory: any MetricsFactory) {
        ready = Meter(label: "offer_signer_ready", factory: factory)
        lastReload = Meter(label: "offer_signer_last_reload_successful", factory: factory)
        warnings = LabelledGauge("offer_signer_warnings", label: "kind", factory: factory)
        failedKeys = LabelledGauge("offer_signer_key_failed", label: "key_id", factory: factory)
        clockFaults = LabelledGauge("offer_signer_clock_fault", label: "fault", factory: factory)
        certificateEnd = LabelledGauge(
            "offer_signer_tls_certificate_end_timestamp_seconds",
            label: "listener",
            factory: factory
        )
        historyMarks = LabelledGauge(
            "offer_signer_notification_history_mark_timestamp_seconds",
            label: "app",
            factory: factory
        )
        redemptions = LabelledGauge("offer_signer_redemptions_last_day", label: "app", factory: factory)
        offersNeverSeen = LabelledGauge("offer_signer_offers_never_seen", label: "app", factory: factory)
        offersNotInCatalog = LabelledGauge("offer_signer_offers_not_in_catalog", label: "app", factory: factory)
        Meter(label: "offer_signer_build_info", dimensions: [("version", Version.current)], factory: factory).set(1)
    }

    func update(_ snapshot: ServiceSnapshot, _ readiness: Readiness) async {
        ready.set(readiness.isReady ? 1 : 0)
        lastReload.set(readiness.look().details.reloads.lastFaults.isEmpty ? 1 : 0)
        let known = Dictionary(grouping: readiness.warnings, by: \.kind)
        let kinds = ReadinessWarning.Kind.allCases
        warnings.set(Dictionary(uniqueKeysWithValues: kinds.map { ($0.rawValue, known[$0]?.count ?? 0) }))
        let keys = snapshot.service.keys.joined().map { ($0.keyIdentifier, $0.failure == nil ? 0 : 1) }
        failedKeys.set(Dictionary(keys, uniquingKeysWith: max))
        var faults = ["jumped": 0, "behind_apple": 0, "ahead_of_apple": 0]
        switch snapshot.lifelong.clock.fault {
        case .jumped: faults["jumped"] = 1
        case .behindApple: faults["behind_apple"] = 1
        case .aheadOfApple: faults["ahead_of_apple"] = 1
        case nil: break
        }
        clockFaults.set(faults)
        let end = snapshot.service.settings.tls?.notValidAfter.millisecondsSince1970
        certificateEnd.set(end.map { ["server": Int($0 / 1000)] } ?? [:])
        snapshot.appStore.updateGauges()
        await readHistoryMarks(snapshot)
        await countRedemptions(snapshot)
        await compareCatalog(snapshot)
    }

    /// Shows how far Apple's notification history was read of each app, by the environment that is further behind.
    ///
    /// Where nothing was read yet, it is as far behind as a first reading goes back.
    private func readHistoryMarks(_ snapshot: ServiceSnapshot) async {
        let settings = snapshot.service.settings
        var marks: [String: Int] = [:]
        if settings.listeners.notifications != nil, settings.notificationsHistorySeconds > 0 {
            let store = snapshot.lifelong.ledger.historyProgress
            for owner in snapshot.catchUp.owners {
                guard let known = try? await [store.progress(of: owner, by: .service)] else { continue }
                let mark = (known[0] ?? .new(at: WallClock.now())).mark
                let seconds = Int(mark.millisecondsSince1970 / 1000)
                marks[owner.bundleId] = min(marks[owner.bundleId] ?? seconds, seconds)
            }
        }
        historyMarks.set(marks)
    }

    /// Counts the signatures that came to a purchase within a day; there is no value while the database cannot be read.
    private func countRedemptions(_ snapshot: ServiceSnapshot) async {
        guard let figures = await snapshot.lifelong.ledger.figures.value else { return redemptions.set([:]) }
        let apps = snapshot.service.settings.apps.map(\.app.bundleId)
        redemptions.set(
            Dictionary(apps.map { ($0, figures.redemptions[$0] ?? 0) }, uniquingKeysWith: { first, _ in first })
        )
    }

    /// Compares the catalog with clients' StoreKit; while the store cannot be read, the last values stay.
    private func compareCatalog(_ snapshot: ServiceSnapshot) async {
        var neverSeen: [String: Int] = [:]
        var notInCatalog: [String: Int] = [:]
        let reports = snapshot.service.productReports(in: snapshot.lifelong.ledger.productReports)
        for app in snapshot.service.settings.apps {
            guard let comparison = try? await reports.comparison(of: app.app.bundleId) else { return }
            neverSeen[app.app.bundleId] = comparison.neverSeen.count
            notInCatalog[app.app.bundleId] = comparison.notInCatalog.count
        }
        offersNeverSeen.set(neverSeen)
        offersNotInCatalog.set(notInCatalog)
    }
}

struct LedgerMetrics: Sendable {
    private let queue: Meter
    private let factory: any MetricsFactory
    private let bytes: LabelledGauge
    private let freeBytes: LabelledGauge
    private let commits: Timer
    private let records: Counter

    init(factory: any MetricsFactory) {
        queue = Meter(label: "offer_signer_ledger_queue_length", factory: factory)
        self.factory = factory
        bytes = LabelledGauge("offer_signer_ledger_bytes", label: "database", factory: factory)
        freeBytes = LabelledGauge("offer_signer_ledger_free_bytes", label: "database", factory: factory)
        commits = Timer(label: "offer_signer_ledger_commit_duration_seconds", factory: factory)
        records = Counter(label: "offer_signer_ledger_records_total", factory: factory)
    }

    /// Counts the ledger's commits from now on.
    func observe(_ ledger: DurableLedger) {
        ledger.observeCommits { [commits, records] duration, count in
            let (seconds, attoseconds) = duration.components
            commits.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            records.increment(by: count)
        }
    }

    func update(_ ledger: OpenLedger) async {
        queue.set(ledger.ledger.waiting)
        // An unknown value is left out: 0 would look like a ledger that is empty, or a disk that is full.
        if let count = ledger.states.recentCount {
            Meter(label: "offer_signer_held_subscriptions", factory: factory).set(count)
        }
        let name = ledger.database.kind
        bytes.set(await ledger.figures.value.map { [name: $0.bytes] } ?? [:])
        freeBytes.set(ledger.database.freeBytes.map { [name: $0] } ?? [:])
    }
}

/// A gauge with one label, whose values come and go with the configuration.
final class LabelledGauge: Sendable {
    private let name: String
    private let label: String
    private let factory: any MetricsFactory
    private let meters = Mutex<[String: Meter]>([:])

    init(_ name: String, label: String, factory: any MetricsFactory) {
        self.name = name
        self.label = label
        self.factory = factory
    }

    func set(_ values: [String: Int]) {
        meters.withLock { meters in
            for (key, value) in values {
                let meter = meters[key] ?? Meter(label: name, dimensions: [(label, key)], factory: factory)
                meters[key] = meter
                meter.set(value)
            }
            for (key, meter) in meters where values[key] == nil {
                meter.destroy()
                meters[key] = nil
            }
        }
    }
}

import AppStore
import CoreMetrics
import OfferAPI
import OfferService
import Offers
import Storage
import Synchronization

/// The gauges, which are updated when the metrics are read.
///
/// Nobody who reads them waits for the database: its figures are as old as ``ages`` says.
struct ServiceGauges: Sendable {
    private let ready: Meter
    private let lastReload: Meter
    private let configuration: LabelledGauge
    private let warnings: LabelledGauge
    private let failedKeys: LabelledGauge
    private let clockFaults: LabelledGauge
    private let certificateEnd: LabelledGauge
    private let historyMarks: LabelledGauge
    private let redemptions: LabelledGauge
    private let offersNeverSeen: LabelledGauge
    private let offersNotInCatalog: LabelledGauge
    private let bytes: LabelledGauge
    private let verified: LabelledGauge
    private let ages: LabelledGauge
    private let recentMarks = RecentFigure<[String: Int]>(life: .seconds(5))
    private let recentComparison = RecentFigure<CatalogComparison>(life: .seconds(5))
    private let factory: any MetricsFactory

    private struct CatalogComparison {
        var neverSeen: [String: Int] = [:]
        var notInCatalog: [String: Int] = [:]
    }

    init(factory: any MetricsFactory) {
        ready = Meter(label: "offer_signer_ready", factory: factory)
        lastReload = Meter(label: "offer_signer_last_reload_successful", factory: factory)
        configuration = LabelledGauge("offer_signer_configuration_info", label: "sha256", factory: factory)
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
        bytes = LabelledGauge("offer_signer_ledger_bytes", label: "database", factory: factory)
        verified = LabelledGauge("offer_signer_ledger_verified_timestamp_seconds", label: "database", factory: factory)
        ages = LabelledGauge("offer_signer_figures_age_seconds", label: "figures", factory: factory)
        self.factory = factory
        Meter(label: "offer_signer_build_info", dimensions: [("version", Version.current)], factory: factory).set(1)
    }

    func update(_ snapshot: ServiceSnapshot, _ readiness: Readiness) {
        ready.set(readiness.isReady ? 1 : 0)
        lastReload.set(readiness.report().details.reloads.lastFaults.isEmpty ? 1 : 0)
        configuration.set([String(readiness.report().details.configurationSHA256.prefix(12)): 1])
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
        let end = snapshot.lifelong.tls?.files.notValidAfter.millisecondsSince1970
        certificateEnd.set(end.map { ["server": Int($0 / 1000)] } ?? [:])
        snapshot.appStore.updateGauges()
        updateFigures(snapshot)
    }

    /// Shows the database's figures as they were found last, and has those that are too old found anew.
    func updateFigures(_ snapshot: ServiceSnapshot) {
        let ledger = snapshot.lifelong.ledger
        var known: [String: Int] = [:]
        func recordAge<Value>(of figure: (value: Value, age: Duration)?, _ name: String) -> Value? {
            guard let figure else { return nil }
            known[name] = Int(figure.age.components.seconds)
            return figure.value
        }
        let settings = snapshot.service.settings
        if settings.listeners.notifications != nil, settings.notificationsHistorySeconds > 0 {
            let marks = recordAge(of: recentMarks.latest { await Self.readMarks(snapshot) }, "notification_history")
            historyMarks.set(marks ?? [:])
        } else {
            historyMarks.set([:])
        }
        if let figures = recordAge(of: ledger.recentFigures, "database") {
            bytes.set([ledger.database.kind: figures.bytes])
            let end = figures.verifiedAt.map { Int($0.millisecondsSince1970 / 1000) }
            verified.set(end.map { [ledger.database.kind: $0] } ?? [:])
            let apps = settings.apps.map { ($0.app.bundleId, figures.redemptions[$0.app.bundleId] ?? 0) }
            redemptions.set(Dictionary(apps, uniquingKeysWith: { first, _ in first }))
            Meter(label: "offer_signer_eligibility_skipped_signatures", factory: factory).set(
                figures.skippedEligibility
            )
        }
        // An unknown value is left out: 0 would look like a ledger that is empty.
        if let count = recordAge(of: ledger.journal.recentCount, "held_subscriptions") {
            Meter(label: "offer_signer_held_subscriptions", factory: factory).set(count)
        }
        if let comparison = recordAge(of: recentComparison.latest { await Self.compare(snapshot) }, "catalog") {
            offersNeverSeen.set(comparison.neverSeen)
            offersNotInCatalog.set(comparison.notInCatalog)
        }
        ages.set(known)
    }

    /// How far Apple's notification history was read of each app, by the environment that is further behind, in seconds since
    /// 1970; `nil` where that cannot be read.
    ///
    /// Where nothing was read yet, it is as far behind as a first reading goes back.
    private static func readMarks(_ snapshot: ServiceSnapshot) async -> [String: Int]? {
        let store = snapshot.lifelong.ledger.historyProgress
        var marks: [String: Int] = [:]
        for owner in snapshot.catchUp.owners {
            guard let known = try? await [store.progress(of: owner, by: .service)] else { return nil }
            let mark = (known[0] ?? .new(at: WallClock.now())).mark
            let seconds = Int(mark.millisecondsSince1970 / 1000)
            marks[owner.bundleId] = min(marks[owner.bundleId] ?? seconds, seconds)
        }
        return marks
    }

    /// Compares the catalog with clients' StoreKit; `nil` where the store cannot be read.
    private static func compare(_ snapshot: ServiceSnapshot) async -> CatalogComparison? {
        var all = CatalogComparison()
        let reports = snapshot.service.productReports(in: snapshot.lifelong.ledger.journal)
        for app in snapshot.service.settings.apps {
            guard let comparison = try? await reports.comparison(of: app.app.bundleId) else { return nil }
            all.neverSeen[app.app.bundleId] = comparison.neverSeen.count
            all.notInCatalog[app.app.bundleId] = comparison.notInCatalog.count
        }
        return all
    }
}

struct LedgerMetrics: Sendable {
    private let queue: Meter
    private let freeBytes: LabelledGauge
    private let commits: Timer
    private let records: Counter

    init(factory: any MetricsFactory) {
        queue = Meter(label: "offer_signer_ledger_queue_length", factory: factory)
        freeBytes = LabelledGauge("offer_signer_ledger_free_bytes", label: "database", factory: factory)
        commits = Timer(label: "offer_signer_ledger_commit_duration_seconds", factory: factory)
        records = Counter(label: "offer_signer_ledger_records_total", factory: factory)
    }

    /// Counts the ledger's commits from now on.
    func observe(_ ledger: Journal) {
        ledger.observeCommits { [commits, records] duration, count in
            let (seconds, attoseconds) = duration.components
            commits.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            records.increment(by: count)
        }
    }

    func update(_ ledger: OpenLedger) {
        queue.set(ledger.journal.waiting)
        // An unknown value is left out: 0 would look like a disk that is full.
        freeBytes.set(ledger.database.freeBytes.map { [ledger.database.kind: $0] } ?? [:])
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

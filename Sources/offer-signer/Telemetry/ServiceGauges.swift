import AppStore
import CoreMetrics
import OfferAPI
import OfferService
import Offers

/// What is the case at the moment at which the metrics are read.
struct ServiceGauges: Sendable {
    private let ready: Meter
    private let warnings: LabelledGauge
    private let failedKeys: LabelledGauge
    private let clockFaults: LabelledGauge
    private let offersNeverSeen: LabelledGauge
    private let offersNotInCatalog: LabelledGauge

    /// Makes the handles.
    init(factory: any MetricsFactory) {
        ready = Meter(label: "offer_signer_ready", factory: factory)
        warnings = LabelledGauge("offer_signer_warnings", label: "kind", factory: factory)
        failedKeys = LabelledGauge("offer_signer_key_failed", label: "key_id", factory: factory)
        clockFaults = LabelledGauge("offer_signer_clock_fault", label: "fault", factory: factory)
        offersNeverSeen = LabelledGauge("offer_signer_offers_never_seen", label: "app", factory: factory)
        offersNotInCatalog = LabelledGauge("offer_signer_offers_not_in_catalog", label: "app", factory: factory)
        Meter(label: "offer_signer_build_info", dimensions: [("version", Version.current)], factory: factory).set(1)
    }

    /// Looks, and tells what it sees.
    func update(_ snapshot: ServiceSnapshot, _ readiness: Readiness) async {
        ready.set(readiness.isReady ? 1 : 0)
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
        snapshot.appStore.updateGauges()
        await compareCatalog(snapshot)
    }

    /// Tells how the catalog compares with what clients' StoreKit shows; a store that cannot be read tells nothing new.
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

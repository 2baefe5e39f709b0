import AppStore
import OfferAPI
import OfferService
import Offers
import PrometheusMetrics
import Storage
import StrictJSON
import Synchronization

/// The answer of `/overview.json`, which the operators' page shows: the case at this moment, and the record of the last
/// days.
///
/// It costs little, however often it is asked for and however long the ledger is: the database's figures are read once
/// in a while, in bounded work.
final class Overview: Sendable {
    /// How many days of the funnel there are, today included.
    static let days = 28
    /// How many offers are listed; of others there are sums alone.
    static let mostOffers = 200

    private let current: SnapshotInUse
    private let lifelong: LifelongParts
    private let readiness: Readiness
    private let decisions: DecisionHistory
    private let records: RecordedFigures
    private let startedAt = WallClock.now()

    init(
        of current: SnapshotInUse,
        _ lifelong: LifelongParts,
        _ readiness: Readiness,
        _ decisions: DecisionHistory
    ) {
        self.current = current
        self.lifelong = lifelong
        self.readiness = readiness
        self.decisions = decisions
        records = RecordedFigures(lifelong.ledger.database.storage, days: Self.days)
    }

    func json() async -> [UInt8] {
        let recorded = await records.value()
        let snapshot = current.value
        let service = snapshot.service
        let (status, details) = readiness.look()
        let now = WallClock.now()
        let metrics = OverviewMetrics(lifelong.telemetry)
        let offers = service.settings.apps.flatMap { app in
            app.app.offers.map { FunnelFigures.Offer(bundleId: app.app.bundleId, request: $0) }
        }
        var writer = JSONWriter(capacity: 1 << 14)
        writer.object { json in
            json.member("generatedAt", now.rfc3339)
            json.member("version", Version.current)
            json.member("startedAt", startedAt.rfc3339)
            json.member("status", status)
            json.members(of: details)
            json.member("keys")
            json.array { list in
                for (app, keys) in zip(service.settings.apps, zip(service.keys, service.retiredKeys)) {
                    list.elements(ofKeys: keys.0, keys.1, of: app.app.bundleId)
                }
            }
            json.member("clock")
            json.object { clock in
                clock.member("toleranceSeconds", ClockWatch.toleranceMilliseconds / 1000)
                if let fault = lifelong.clock.fault { clock.member("fault", fault.description) }
            }
            json.member("appStore")
            json.array { list in
                for place in snapshot.appStore.places { list.element(place, metrics) }
            }
            json.member("decisions")
            json.object { $0.members(of: decisions.look()) }
            json.member("funnel")
            json.object { funnel in
                if let fault = recorded.fault { funnel.member("fault", fault) }
                funnel.members(of: RecentFunnel(recorded.figures, until: now, days: Self.days, catalog: offers))
            }
            json.member("retention")
            json.object { retention in
                retention.member("timeoutMilliseconds", Int64(service.settings.retentionTimeoutMilliseconds))
                retention.member("metrics", metrics.retention)
            }
            json.member("ledger")
            json.object { ledger in
                if let fault = recorded.fault { ledger.member("fault", fault) }
                ledger.members(of: lifelong.ledger, recorded.figures, service.settings)
            }
            json.member("clients")
            json.array { list in
                let use = snapshot.forms.clients.tokenUse
                for client in service.settings.clients {
                    list.element(client, lastUsed: use.first { $0.client == client.name }?.lastUsed ?? [], metrics)
                }
            }
            json.member("rules")
            json.object { rules in for rule in RuleNames.wants { rules.member(named: rule.name, rule.wants) } }
            json.member("catalog")
            json.object { $0.members(ofCatalog: service.settings.apps) }
        }
        return writer.bytes
    }
}

/// The database's figures for an ``Overview``: read anew after some seconds, and after a multiple of the time that
/// reading took.
private actor RecordedFigures {
    struct Value {
        var figures = RecentFigures()
        var fault: String?
    }

    private let database: any SQLDatabase
    private let days: Int
    private var known: (value: Value, until: ContinuousClock.Instant)?
    private var reading: Task<Value, Never>?

    init(_ database: any SQLDatabase, days: Int) {
        self.database = database
        self.days = days
    }

    func value() async -> Value {
        if let known, known.until > .now { return known.value }
        if let reading { return await reading.value }
        let start = ContinuousClock.now
        let task = Task { [database, days] in
            do throws(StorageFailure) {
                let first = WallClock.now().adding(days: 1 - days)
                return Value(figures: try await database.recentFigures(since: first))
            } catch {
                return Value(fault: error.detail)
            }
        }
        reading = task
        let value = await task.value
        known = (value, .now + max(.seconds(4), start.duration(to: .now) * 20))
        reading = nil
        return value
    }
}

struct OverviewMetrics {
    /// By client and status.
    let requests: [String: [String: Int64]]
    /// By client and token.
    let tokens: [String: [String: Int64]]
    /// By service and environment, and by status.
    let calls: [String: [String: Int64]]
    /// How many calls to each place of Apple were answered, and how many seconds they took together.
    let durations: [String: (count: Double, seconds: Double)]
    let retention: [MetricReading]

    init(_ telemetry: Telemetry) {
        var requests: [String: [String: Int64]] = [:]
        var tokens: [String: [String: Int64]] = [:]
        var calls: [String: [String: Int64]] = [:]
        var durations: [String: (count: Double, seconds: Double)] = [:]
        var retention: [MetricReading] = []
        let wanted = [
            "offer_signer_requests_total", "offer_signer_app_store_calls_total",
            "offer_signer_app_store_call_duration_seconds", "offer_signer_client_tokens_total",
        ]
        for metric in telemetry.readings(where: { wanted.contains($0) || $0.hasPrefix("offer_signer_retention_") }) {
            switch metric.name {
            case wanted[0]:
                for (labels, value) in metric.series {
                    requests[labels["client"] ?? "", default: [:]][labels["status"] ?? "", default: 0] += Int64(value)
                }
            case wanted[1]:
                for (labels, value) in metric.series {
                    calls[Self.place(labels), default: [:]][labels["status"] ?? "", default: 0] += Int64(value)
                }
            case wanted[2]:
                for (series, seconds) in zip(metric.series, metric.sums) {
                    durations[Self.place(series.labels)] = (series.value, seconds)
                }
            case wanted[3]:
                for (labels, value) in metric.series {
                    tokens[labels["client"] ?? "", default: [:]][labels["token"] ?? "", default: 0] += Int64(value)
                }
            // A setting, which is shown as such.
            case "offer_signer_retention_timeout_seconds": break
            default: retention.append(metric)
            }
        }
        self.requests = requests
        self.tokens = tokens
        self.calls = calls
        self.durations = durations
        self.retention = retention
    }

    private static func place(_ labels: [String: String]) -> String {
        "\(labels["service"] ?? "") \(labels["environment"] ?? "")"
    }
}

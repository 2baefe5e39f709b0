import OfferAPI
import OfferService
import Offers
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
    private let records: RecordedFigures
    private let holdouts: HoldoutFigures
    private let startedAt = WallClock.now()

    init(of current: SnapshotInUse, _ lifelong: LifelongParts, _ readiness: Readiness) {
        self.current = current
        self.lifelong = lifelong
        self.readiness = readiness
        records = RecordedFigures(lifelong.ledger.database.storage, days: Self.days)
        holdouts = HoldoutFigures(lifelong.ledger.database.storage)
    }

    func json() async -> [UInt8] {
        let recorded = await records.value()
        let (status, details) = readiness.report()
        // After the count of reloads, so that an answer that counts one shows its effect.
        let snapshot = current.value
        let service = snapshot.service
        let now = WallClock.now()
        let hasHoldouts = service.settings.apps.contains { $0.app.hasHoldouts }
        let held = hasHoldouts ? await holdouts.value() : nil
        let offers = service.settings.apps.flatMap { app in
            app.app.offers.map { FunnelFigures.Offer(bundleId: app.app.bundleId, request: $0) }
        }
        return JSONWriter.text(capacity: 1 << 14) { json in
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
            json.object("decisions") { $0.members(of: lifelong.telemetry.decisions.snapshot()) }
            json.object("funnel") { funnel in
                if let fault = recorded.fault { funnel.member("fault", fault) }
                funnel.members(of: RecentFunnel(recorded.figures, until: now, days: Self.days, catalog: offers))
            }
            if let held { json.object("holdouts") { $0.members(of: held, service.settings.apps.map(\.app)) } }
            json.object("retention") { retention in
                retention.member("timeoutMilliseconds", Int64(service.settings.retentionTimeoutMilliseconds))
                retention.members(of: lifelong.telemetry.retention)
            }
            json.object("ledger") { ledger in
                if let fault = recorded.fault { ledger.member("fault", fault) }
                ledger.members(of: lifelong.ledger, recorded.figures, service.settings)
            }
            json.object("rules") { rules in for rule in RuleNames.wants { rules.member(named: rule.name, rule.wants) } }
            json.object("catalog") { $0.members(ofCatalog: service.settings.apps) }
        }
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

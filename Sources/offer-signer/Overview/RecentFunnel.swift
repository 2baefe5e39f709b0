import Offers
import Storage
import StrictJSON

/// The funnel of the last days, day by day in UTC: production, and the Sandbox apart.
struct RecentFunnel {
    /// A number for each day.
    struct Line {
        var asked: [Int]
        var signed: [Int]
        var redeemed: [Int]
        /// Calls for eligibility alone, over all days.
        var checked = 0
        /// By reason, a number for each day.
        var refusals: [String: [Int]] = [:]

        init(days: Int) {
            asked = [Int](repeating: 0, count: days)
            signed = asked
            redeemed = asked
        }
    }

    /// All offers of an environment.
    struct Part {
        let environment: AppStoreEnvironment
        /// Unlisted ones too.
        var total: Line
        var lines: [FunnelFigures.Offer: Line] = [:]
    }

    /// The days, such as `2026-11-25`; the last is today.
    let days: [String]
    /// Whether there is more on record than was read.
    let isCut: Bool
    private(set) var parts: [Part]
    private let catalog: [FunnelFigures.Offer]

    /// The offers of `catalog` are listed in any case, in their order.
    init(_ figures: RecentFigures, until now: Timestamp, days: Int, catalog: [FunnelFigures.Offer]) {
        let first = FunnelPeriod.day(of: now) - Int64(days - 1)
        self.days = (0..<days).map { now.adding(days: $0 - days + 1).day }
        self.catalog = catalog
        isCut = figures.isCut
        parts = [.production, .sandbox].map { Part(environment: $0, total: Line(days: days)) }
        func index(_ day: Int64) -> Int? {
            let (index, overflow) = day.subtractingReportingOverflow(first)
            return !overflow && (0..<Int64(days)).contains(index) ? Int(index) : nil
        }
        for row in figures.decisions {
            guard let day = index(row.day) else { continue }
            let decision = row.decision
            // What names no environment counts for production.
            let part = (decision.environment ?? .production) == .production ? 0 : 1
            let offer = FunnelFigures.Offer(bundleId: decision.bundleId, request: decision.offer)
            parts[part].total.add(decision, row.count, on: day)
            parts[part].lines[offer, default: Line(days: days)].add(decision, row.count, on: day)
        }
        for row in figures.redemptions {
            guard let day = index(row.day) else { continue }
            let part = row.environment == AppStoreEnvironment.production.rawValue ? 0 : 1
            parts[part].total.redeemed[day].add(saturating: row.count)
            parts[part].lines[row.offer, default: Line(days: days)].redeemed[day].add(saturating: row.count)
        }
    }

    /// The listed offers of a part: the catalog's in its order, and then others; where they are too many, the most
    /// asked for.
    func listed(in part: Part) -> [(offer: FunnelFigures.Offer, line: Line)] {
        let known = Set(catalog)
        let others = part.lines.keys.filter { !known.contains($0) }.sorted {
            ($0.bundleId, $0.request.productId, $0.request.offerId)
                < ($1.bundleId, $1.request.productId, $1.request.offerId)
        }
        let all = (catalog + others).map { ($0, part.lines[$0] ?? Line(days: days.count)) }
        guard all.count > Overview.mostOffers else { return all }
        return Array(all.sorted { $0.1.weight > $1.1.weight }.prefix(Overview.mostOffers))
    }
}

extension RecentFunnel.Line {
    fileprivate var weight: Int {
        (asked + redeemed).reduce(into: 0) { $0.add(saturating: $1) }
    }

    fileprivate mutating func add(_ decision: CountedDecision, _ count: Int, on day: Int) {
        guard decision.call == .signatures else { return checked.add(saturating: count) }
        asked[day].add(saturating: count)
        if decision.reason.verdict == .eligible {
            signed[day].add(saturating: count)
        } else {
            refusals[decision.reason.rawValue, default: [Int](repeating: 0, count: asked.count)][day]
                .add(saturating: count)
        }
    }
}

extension JSONWriter {
    mutating func members(of funnel: RecentFunnel) {
        member("days", funnel.days)
        flag("isCut", funnel.isCut)
        objects("environments", funnel.parts) { part, json in
            json.member("environment", part.environment.rawValue)
            json.object("total") { $0.members(of: part.total) }
            json.members(ofRefusals: part.total)
            json.objects("offers", funnel.listed(in: part)) { $1.members(of: $0.offer, $0.line) }
        }
    }

    private mutating func members(of offer: FunnelFigures.Offer, _ line: RecentFunnel.Line) {
        member("bundleId", offer.bundleId)
        if offer.request != CountedDecision.unlisted {
            member("productId", offer.request.productId)
            member("offerId", offer.request.offerId)
        }
        members(of: line)
        members(ofRefusals: line)
    }

    private mutating func members(ofRefusals line: RecentFunnel.Line) {
        object("refusals") { reasons in
            for (reason, counts) in line.refusals.sorted(by: { $0.key < $1.key }) {
                reasons.member(named: reason)
                reasons.numbers(counts)
            }
        }
    }

    private mutating func members(of line: RecentFunnel.Line) {
        member("asked")
        numbers(line.asked)
        member("signed")
        numbers(line.signed)
        member("redeemed")
        numbers(line.redeemed)
        member("checked", Int64(line.checked))
        let refused = line.refusals.mapValues { $0.reduce(into: 0) { $0.add(saturating: $1) } }
        member("refused", refused.sorted { $0.key < $1.key })
    }

    private mutating func numbers(_ counts: [Int]) {
        array { list in
            for count in counts { list.number(Int64(count)) }
        }
    }
}

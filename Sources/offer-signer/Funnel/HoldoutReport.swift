import Offers
import StrictJSON

/// Holdouts as they are printed: a table for people, or JSON.
struct HoldoutReport {
    fileprivate let environment: AppStoreEnvironment
    /// Those of the catalog, and those on record, app by app.
    fileprivate let rows: [(holdout: HoldoutName, comparison: HoldoutComparison)]

    static let limits =
        "Bought since: a period that is paid for began after the customer could first have had the offer, and was not "
        + "refunded, by what the service remembers. Purchases that Apple told nobody of are missing in both lines. The "
        + "difference is of customers, not of revenue. No winner is announced: an interval with 0 in it fits an "
        + "offer that brings nothing."

    init(_ arms: [HoldoutName: HoldoutArms], of apps: [App], in environment: AppStoreEnvironment) {
        self.environment = environment
        var percents: [HoldoutName: Set<Int>] = [:]
        for app in apps {
            for offer in app.subscriptionGroups.flatMap(\.products).flatMap(\.offers) {
                guard let name = offer.holdoutName, let percent = offer.terms.holdout?.percent else { continue }
                percents[HoldoutName(bundleId: app.bundleId, name: name), default: []].insert(percent)
            }
        }
        rows = Set(arms.keys).union(percents.keys)
            .sorted { ($0.bundleId, $0.name) < ($1.bundleId, $1.name) }
            .map { name in
                let arms = arms[name] ?? HoldoutArms()
                let percents = percents[name] ?? []
                let percent = percents.count == 1 ? percents.first : nil
                let comparison = HoldoutComparison(
                    offered: arms.offered,
                    heldOut: arms.heldOut,
                    percent: percent
                )
                return (name, comparison)
            }
    }

    var json: String {
        var writer = JSONWriter(capacity: 512 * (rows.count + 1))
        writer.object { $0.members(of: self) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    var text: String {
        guard !rows.isEmpty else { return "No offer has a holdout, and none is on record." }
        var lines = [environment.rawValue]
        for (holdout, comparison) in rows {
            let percent = comparison.percent.map { ", \($0) % held out" } ?? ""
            lines.append("\n\(holdout.bundleId) \(holdout.name)\(percent)")
            lines.append(Self.line("with the offer", comparison.offered))
            lines.append(Self.line("held out", comparison.heldOut))
            lines.append("  " + comparison.differenceInWords)
            if comparison.isLopsided {
                lines.append(
                    "  warning: so many held out do not fit the percentage (p < 0.001). Was it changed, or the digest "
                        + "key? Then compare under a new name"
                )
            }
        }
        return (lines + ["", Self.limits]).joined(separator: "\n")
    }

    private static func line(_ name: String, _ arm: HoldoutComparison.Arm) -> String {
        let share = arm.share.map { " (\(Self.decimal(100 * $0)) %)" } ?? ""
        let padding = String(repeating: " ", count: max(1, 16 - name.count))
        let given = arm.givenByApple > 0 ? ", \(arm.givenByApple) got one of Apple's own retention offers" : ""
        return "  \(name)\(padding)\(arm.customers.of("customer")), \(arm.buyers) bought since\(share)\(given)"
    }

    /// With one decimal.
    fileprivate static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}

extension HoldoutComparison {
    fileprivate var differenceInWords: String {
        guard let difference else { return "difference: none yet, as a line has no customers" }
        let (points, lower, upper) = (
            HoldoutReport.decimal(difference.points), HoldoutReport.decimal(difference.lower),
            HoldoutReport.decimal(difference.upper)
        )
        return "difference: \(points) percentage points, 95 % interval \(lower) to \(upper)"
    }
}

extension JSONWriter {
    mutating func members(of report: HoldoutReport) {
        member("environment", report.environment.rawValue)
        objects("holdouts", report.rows) { $1.members(of: $0.holdout, $0.comparison) }
    }

    fileprivate mutating func members(of holdout: HoldoutName, _ comparison: HoldoutComparison) {
        member("bundleId", holdout.bundleId)
        member("name", holdout.name)
        if let percent = comparison.percent { member("percent", Int64(percent)) }
        for (name, arm) in [("offered", comparison.offered), ("heldOut", comparison.heldOut)] {
            member(named: name)
            object { json in
                json.member("customers", Int64(arm.customers))
                json.member("boughtSince", Int64(arm.buyers))
                json.member("givenByApple", Int64(arm.givenByApple))
            }
        }
        if let difference = comparison.difference {
            object("differenceInPoints") { json in
                for (name, points) in [
                    ("value", difference.points), ("lower", difference.lower), ("upper", difference.upper),
                ] {
                    json.member(named: name)
                    json.number(tenths: Int64((10 * points).rounded()))
                }
            }
        }
        guard comparison.chiSquared != nil else { return }
        flag("sizesFit", !comparison.isLopsided)
    }
}

public import Offers

/// A database that is read to make a funnel.
public protocol FunnelArchive: Sendable {
    /// What is on record of offers.
    ///
    /// - Parameters:
    ///   - period: The days.
    ///   - environment: The environment of evidence and purchases; what names none counts for production.
    /// - Returns: The sums.
    /// - Throws: ``StorageFailure``.
    func funnelFigures(
        of period: FunnelPeriod,
        in environment: AppStoreEnvironment
    ) throws(StorageFailure) -> FunnelFigures
}

/// What the queries of a funnel are asked with.
struct FunnelQuestion: Sendable {
    /// The first day and the one after the last.
    let days: (Int64, Int64)
    /// The first moment and the one after the last, in milliseconds since 1970.
    let times: (Int64, Int64)
    /// The environment.
    let environment: String
    /// What stands for the environment as well.
    let alternative: String

    init(_ period: FunnelPeriod, _ environment: AppStoreEnvironment) {
        times = (period.start?.millisecondsSince1970 ?? .min, period.end?.millisecondsSince1970 ?? .max)
        days = (period.start.map(FunnelPeriod.day) ?? .min, period.end.map(FunnelPeriod.day) ?? .max)
        self.environment = environment.rawValue
        alternative = environment == .production ? "" : environment.rawValue
    }
}

extension FunnelFigures {
    /// Takes a row of decisions; what a newer version counted by another name is left out.
    mutating func addDecisions(_ offer: Offer, call: String, reason: String, _ count: Int64) {
        guard let call = DecisionCall(rawValue: call), let reason = Reason(rawValue: reason) else { return }
        decisions[Decisions(offer: offer, call: call, reason: reason), default: 0] += Int(count)
    }
}

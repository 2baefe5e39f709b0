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

extension FunnelFigures {
    /// Takes a row of decisions; what a newer version counted by another name is left out.
    mutating func addDecisions(_ offer: Offer, call: String, reason: String, _ count: Int64) {
        guard let call = DecisionCall(rawValue: call), let reason = Reason(rawValue: reason) else { return }
        decisions[Decisions(offer: offer, call: call, reason: reason), default: 0].add(saturating: Int(count))
    }
}

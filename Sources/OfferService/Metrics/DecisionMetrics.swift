import CoreMetrics
public import Offers

/// How often each reason was given, by the call that it was given to.
///
/// Every reason has its series from the start, at zero, so that the first time can be seen.
public final class DecisionMetrics: Sendable {
    private let offers: [DecisionCall: [Reason: Counter]]
    private let introductory: [IntroductoryReason: Counter]
    private let tally: (any OfferTally)?

    /// Makes the handles.
    ///
    /// - Parameters:
    ///   - factory: What keeps the metrics.
    ///   - tally: Counts for the funnel; `nil` where nobody does.
    init(factory: any MetricsFactory, tally: (any OfferTally)?) {
        self.tally = tally
        offers = Dictionary(
            DecisionCall.allCases.map { call in
                (call, Self.counters("offer_signer_decisions_total", [("call", call.rawValue)], factory))
            },
            uniquingKeysWith: { first, _ in first }
        )
        introductory = Self.counters("offer_signer_introductory_decisions_total", [], factory)
    }

    private static func counters<Given: VerdictReason & RawRepresentable<String> & CaseIterable>(
        _ name: String,
        _ dimensions: [(String, String)],
        _ factory: any MetricsFactory
    ) -> [Given: Counter] {
        let counters = Given.allCases.map { reason in
            let labels = [("verdict", reason.verdict.rawValue), ("reason", reason.rawValue)]
            return (reason, Counter(label: name, dimensions: dimensions + labels, factory: factory))
        }
        return Dictionary(counters, uniquingKeysWith: { first, _ in first })
    }

    /// Counts a decision about a promotional offer.
    ///
    /// - Parameter decision: The decision.
    public func count(_ decision: CountedDecision) {
        offers[decision.call]?[decision.reason]?.increment()
        tally?.count(decision)
    }

    /// Counts a decision about an introductory offer.
    ///
    /// - Parameter reason: The reason that was given.
    public func count(_ reason: IntroductoryReason) {
        introductory[reason]?.increment()
    }
}

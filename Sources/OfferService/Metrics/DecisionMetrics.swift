import CoreMetrics
package import Offers

/// Counts each reason, by the call that it was given to.
///
/// Every reason has its series from the start, at zero, so that its first time can be seen.
package final class DecisionMetrics: Sendable {
    private let decisions: [DecisionCall: [Reason: Counter]]
    private let introductory: [IntroductoryReason: Counter]
    private let tally: (any OfferTally)?

    init(factory: any MetricsFactory, tally: (any OfferTally)?) {
        self.tally = tally
        decisions = DecisionCall.allCases.reduce(into: [:]) { decisions, call in
            decisions[call] = Self.counters("offer_signer_decisions_total", [("call", call.rawValue)], factory)
        }
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

    package func count(_ decision: CountedDecision) {
        decisions[decision.call]?[decision.reason]?.increment()
        tally?.count(decision)
    }

    package func count(_ reason: IntroductoryReason) { introductory[reason]?.increment() }
}

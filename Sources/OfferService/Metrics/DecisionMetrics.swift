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
            decisions[call] = Dictionary(counting: Reason.allCases, "offer_signer_decisions_total", factory) {
                [("call", call.rawValue), ("verdict", $0.verdict.rawValue), ("reason", $0.rawValue)]
            }
        }
        introductory = Dictionary(
            counting: IntroductoryReason.allCases,
            "offer_signer_introductory_decisions_total",
            factory
        ) { [("verdict", $0.verdict.rawValue), ("reason", $0.rawValue)] }
    }

    package func count(_ decision: CountedDecision) {
        decisions[decision.call]?[decision.reason]?.increment()
        tally?.count(decision)
    }

    package func count(_ reason: IntroductoryReason) { introductory[reason]?.increment() }
}

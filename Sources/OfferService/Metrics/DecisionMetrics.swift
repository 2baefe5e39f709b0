import CoreMetrics
package import Offers

/// Counts each reason, by the call that it was given to.
///
/// Every reason has its series from the start, at zero, so that its first time can be seen.
package final class DecisionMetrics: Sendable {
    private let signatures: [Reason: Counter]
    private let eligibility: [Reason: Counter]
    private let retention: [Reason: Counter]
    private let introductory: [IntroductoryReason: Counter]
    private let tally: (any OfferTally)?

    init(factory: any MetricsFactory, tally: (any OfferTally)?) {
        self.tally = tally
        func counters(of call: DecisionCall) -> [Reason: Counter] {
            Self.counters("offer_signer_decisions_total", [("call", call.rawValue)], factory)
        }
        signatures = counters(of: .signatures)
        eligibility = counters(of: .eligibility)
        retention = counters(of: .retention)
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
        switch decision.call {
        case .signatures: signatures[decision.reason]?.increment()
        case .eligibility: eligibility[decision.reason]?.increment()
        case .retention: retention[decision.reason]?.increment()
        }
        tally?.count(decision)
    }

    package func count(_ reason: IntroductoryReason) {
        introductory[reason]?.increment()
    }
}

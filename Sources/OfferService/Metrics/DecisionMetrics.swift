import CoreMetrics
public import Offers

/// How often each reason was given, by the call that it was given to.
///
/// Every reason has its series from the start, at zero, so that the first time can be seen.
public struct DecisionMetrics: Sendable {
    /// The calls that decide.
    public enum Call: String, CaseIterable, Sendable {
        /// Decides, and signs where it may.
        case signatures
        /// Decides alone.
        case eligibility
    }

    private let offers: [Call: [Reason: Counter]]
    private let introductory: [IntroductoryReason: Counter]

    /// Makes the handles.
    ///
    /// - Parameter factory: What keeps the metrics.
    init(factory: any MetricsFactory) {
        offers = Dictionary(
            Call.allCases.map { call in
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
    /// - Parameters:
    ///   - reason: The reason that was given.
    ///   - call: The call that it was given to.
    public func count(_ reason: Reason, in call: Call) {
        offers[call]?[reason]?.increment()
    }

    /// Counts a decision about an introductory offer.
    ///
    /// - Parameter reason: The reason that was given.
    public func count(_ reason: IntroductoryReason) {
        introductory[reason]?.increment()
    }
}

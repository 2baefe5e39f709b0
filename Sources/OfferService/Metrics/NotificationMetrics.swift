package import CoreMetrics
import Offers

/// Counts Apple's notifications by type and outcome.
package struct NotificationMetrics: Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case taken
        case repeated
        /// It could not be stored; Apple sends it again.
        case notKept = "not_kept"
        /// It is Apple's, but names no app, or has unknown contents: nothing was learnt.
        case notUnderstood = "not_understood"
        /// It is for an app outside the catalog.
        case unknownApp = "unknown_app"
    }

    /// The label of types that Apple does not document.
    static let other = "other"
    /// The label of notifications that are not Apple's, or not for the environment or Apple ID of an app.
    static let none = "none"

    private let counters: [String: [Outcome: Counter]]
    private let refused: Counter

    package init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        func counter(_ type: String, _ outcome: String) -> Counter {
            Counter(
                label: "offer_signer_notifications_total",
                dimensions: [("type", type), ("outcome", outcome)],
                factory: factory
            )
        }
        var counters: [String: [Outcome: Counter]] = [:]
        for type in AppleNotification.types.union([Self.other]) {
            for outcome in Outcome.allCases { counters[type, default: [:]][outcome] = counter(type, outcome.rawValue) }
        }
        self.counters = counters
        refused = counter(Self.none, "refused")
    }

    func count(_ type: String, _ outcome: Outcome) {
        (counters[type] ?? counters[Self.other])?[outcome]?.increment()
    }

    func countRefused() { refused.increment() }
}

package import CoreMetrics
import Offers

/// Counts Apple's notifications by type and by what became of them.
package struct NotificationMetrics: Sendable {
    /// What became of a notification.
    package enum Outcome: String, CaseIterable, Sendable {
        /// It was kept.
        case taken
        /// It was kept before.
        case repeated
        /// It could not be kept; Apple sends it again.
        case notKept = "not_kept"
        /// It is Apple's, and names no app, or has contents that are not known: nothing was learnt.
        case notUnderstood = "not_understood"
        /// It is for an app that the catalog lacks.
        case unknownApp = "unknown_app"
    }

    /// The label of types that Apple does not document.
    static let other = "other"
    /// The label of what is not Apple's, or not for the environment or Apple ID of an app.
    static let none = "none"

    private let counters: [String: [Outcome: Counter]]
    private let refused: Counter

    /// Makes the handles.
    ///
    /// - Parameter factory: What keeps the metrics; by default nothing does.
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

    /// Counts a notification of Apple's.
    func count(_ type: String, _ outcome: Outcome) {
        (counters[type] ?? counters[Self.other])?[outcome]?.increment()
    }

    /// Counts what is not Apple's, or not for the environment or Apple ID of an app.
    func countRefused() { refused.increment() }
}

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
        let name = "offer_signer_notifications_total"
        counters = AppleNotification.types.union([Self.other]).reduce(into: [:]) { counters, type in
            counters[type] = Dictionary(counting: Outcome.allCases, name, factory) {
                [("type", type), ("outcome", $0.rawValue)]
            }
        }
        refused = Counter(label: name, dimensions: [("type", Self.none), ("outcome", "refused")], factory: factory)
    }

    func count(_ type: String, _ outcome: Outcome) {
        (counters[type] ?? counters[Self.other])?[outcome]?.increment()
    }

    func countRefused() { refused.increment() }
}

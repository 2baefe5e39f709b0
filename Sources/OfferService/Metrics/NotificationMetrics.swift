public import CoreMetrics

/// Counts Apple's notifications by type and by what became of them.
public struct NotificationMetrics: Sendable {
    /// What became of a notification.
    public enum Outcome: String, CaseIterable, Sendable {
        /// It was kept.
        case taken
        /// It was kept before.
        case repeated
        /// It could not be kept; Apple sends it again.
        case notKept = "not_kept"
    }

    /// The types that Apple documents (`notificationType`); others are counted as ``other``.
    static let types = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RENEW",
        "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED",
        "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST",
    ]
    /// The label of types that Apple does not document.
    static let other = "other"
    /// The label of what is not Apple's, or for no app of the catalog.
    static let none = "none"

    private let counters: [String: [Outcome: Counter]]
    private let refused: Counter

    /// Makes the handles.
    ///
    /// - Parameter factory: What keeps the metrics; by default nothing does.
    public init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        func counter(_ type: String, _ outcome: String) -> Counter {
            Counter(
                label: "offer_signer_notifications_total",
                dimensions: [("type", type), ("outcome", outcome)],
                factory: factory
            )
        }
        var counters: [String: [Outcome: Counter]] = [:]
        for type in Self.types + [Self.other] {
            for outcome in Outcome.allCases { counters[type, default: [:]][outcome] = counter(type, outcome.rawValue) }
        }
        self.counters = counters
        refused = counter(Self.none, "refused")
    }

    /// Counts a notification of Apple's.
    func count(_ type: String, _ outcome: Outcome) {
        (counters[type] ?? counters[Self.other])?[outcome]?.increment()
    }

    /// Counts what is not Apple's, or for no app of the catalog.
    func countRefused() { refused.increment() }
}

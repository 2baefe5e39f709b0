package import CoreMetrics
import Offers

/// Counts what Apple's notification history brought, and why Apple's own attempts to send it had failed.
package struct NotificationHistoryMetrics: Sendable {
    /// The values of `sendAttemptResult` but for `SUCCESS`.
    static let failures = [
        "TIMED_OUT", "TLS_ISSUE", "CIRCULAR_REDIRECT", "NO_RESPONSE", "SOCKET_ISSUE", "UNSUPPORTED_CHARSET",
        "INVALID_RESPONSE", "PREMATURE_CLOSE", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", other,
    ]
    private static let other = "OTHER"

    private let recovered: [String: Counter]
    private let failedAttempts: [String: Counter]

    package init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        let types = AppleNotification.types.union([NotificationMetrics.other])
        recovered = Dictionary(counting: types, "offer_signer_notification_history_recovered_total", factory) {
            [("type", $0)]
        }
        failedAttempts = Dictionary(
            counting: Self.failures,
            "offer_signer_notification_history_failed_attempts_total",
            factory
        ) { [("result", $0)] }
    }

    func countRecovered(_ type: String) { (recovered[type] ?? recovered[NotificationMetrics.other])?.increment() }

    /// Counts an attempt, unless it succeeded.
    func count(_ attempt: HistoryPage.Attempt) {
        guard attempt.result != "SUCCESS" else { return }
        (failedAttempts[attempt.result] ?? failedAttempts[Self.other])?.increment()
    }
}

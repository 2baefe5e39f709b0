import Offers

/// One attempt to deliver a notification (`sendAttemptItem`).
struct NotificationAttempt: Equatable, Sendable {
    /// `sendAttemptResult`.
    enum Result: String, Sendable {
        case success = "SUCCESS"
        case noResponse = "NO_RESPONSE"
        case timedOut = "TIMED_OUT"
        case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    }

    /// When it was made.
    let date: Timestamp
    /// How it ended.
    let result: Result
}

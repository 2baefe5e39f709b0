import Offers

/// `Retry-After` as Apple and HTTP write it.
enum RetryAfter {
    /// The longest wait that is passed on, in seconds: no client should be sent away for longer by one answer.
    static let maximumSeconds = 3600
    /// The longest wait that the answer of a server that is down is believed for, in seconds: it may be back sooner.
    static let maximumOutageSeconds = 60

    /// How long nothing should be asked after an answer: one that asks for patience (HTTP 429), five seconds where it does
    /// not say, and one of a server that is down for so long (HTTP 503).
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - now: The server's clock.
    /// - Returns: Seconds from 1 to an hour, of an outage to a minute; `nil` where it asks for nothing.
    static func seconds(after response: IncomingResponse, at now: Timestamp) -> Int? {
        let said = seconds(response.retryAfter, at: now)
        return switch response.status {
        case 429: said ?? 5
        case 503: said.map { min($0, maximumOutageSeconds) }
        default: nil
        }
    }

    /// How long to wait.
    ///
    /// - Parameters:
    ///   - text: The field: seconds (RFC 9110 §10.2.3), or, from the App Store Server API, the time in milliseconds since
    ///     1970 (`RateLimitExceededError`).
    ///   - now: The server's clock.
    /// - Returns: Seconds from 1 to an hour; `nil` where the field says nothing that can be used.
    static func seconds(_ text: String?, at now: Timestamp) -> Int? {
        guard let text, let number = Int64(text), number >= 0 else { return nil }
        // A number of seconds that large would be more than 30 years; a date that small would be in 1970.
        guard number > 1_000_000_000 else { return Int(min(max(number, 1), Int64(maximumSeconds))) }
        let (milliseconds, overflow) = number.subtractingReportingOverflow(now.millisecondsSince1970)
        guard !overflow else { return maximumSeconds }
        let seconds = milliseconds / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
        return Int(min(max(seconds, 1), Int64(maximumSeconds)))
    }
}

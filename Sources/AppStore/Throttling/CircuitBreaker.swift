import Offers

/// Whether a host is asked at all: a pure state machine over the time since some start.
///
/// After five failures in a row nothing is sent for five seconds; then one request tries it. When that fails too, the
/// pause doubles, up to a minute. Questions meanwhile are refused at once, and Apple is left to recover.
struct CircuitBreaker: Sendable {
    /// How many failures in a row open the circuit.
    static let tolerance = 5
    /// How long it stays open at first.
    static let firstPause = Duration.seconds(5)
    /// How long it stays open at most.
    static let longestPause = Duration.seconds(60)

    private enum State {
        case closed(failures: Int)
        case open(until: Duration, pause: Duration)
        /// One request is on its way, and given up at that time.
        case trying(until: Duration, pause: Duration)
    }

    private var state = State.closed(failures: 0)

    /// How long nothing is sent to the host, more than zero; `nil` when a request may try.
    func pause(at now: Duration) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let until, _): until > now ? until - now : nil
        case .trying(let until, _): until > now ? until - now : nil
        }
    }

    /// Admits a request, whose outcome is to be recorded; else says how long to wait.
    mutating func admit(at now: Duration, timeout: Duration) -> Duration? {
        if let pause = pause(at: now) { return pause }
        switch state {
        case .closed: break
        case .open(_, let pause), .trying(_, let pause): state = .trying(until: now + timeout, pause: pause)
        }
        return nil
    }

    /// Records whether the host answered an admitted request as a host does that is well.
    mutating func record(isSuccess: Bool, at now: Duration) {
        switch (state, isSuccess) {
        case (.closed, true), (.trying, true): state = .closed(failures: 0)
        case (.closed(let failures), false):
            state =
                failures + 1 < Self.tolerance
                ? .closed(failures: failures + 1)
                : .open(until: now + Self.firstPause, pause: Self.firstPause)
        case (.trying(_, let pause), false):
            let longer = min(pause * 2, Self.longestPause)
            state = .open(until: now + longer, pause: longer)
        // A request that was sent before the circuit opened says nothing new.
        case (.open, _): break
        }
    }
}

/// `Retry-After` as Apple and HTTP write it.
enum RetryAfter {
    /// The longest wait that is passed on, in seconds: no client should be sent away for longer by one answer.
    static let maximumSeconds = 3600
    /// The longest wait that the answer of a server that is down is believed for, in seconds: it may be back sooner.
    static let maximumOutageSeconds = 60

    /// How long nothing should be asked after an answer: one that asks for patience (HTTP 429), five seconds where it does
    /// not say, and one of a server that is down for so long (HTTP 503); `nil` where it asks for nothing.
    static func seconds(after response: IncomingResponse, at now: Timestamp) -> Int? {
        let said = seconds(response.retryAfter, at: now)
        return switch response.status {
        case 429: said ?? 5
        case 503: said.map { min($0, maximumOutageSeconds) }
        default: nil
        }
    }

    /// The seconds of a field: a number of them (RFC 9110 §10.2.3), or, from the App Store Server API, the time in
    /// milliseconds since 1970 (`RateLimitExceededError`).
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

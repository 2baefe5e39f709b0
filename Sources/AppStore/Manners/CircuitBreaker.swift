/// Whether a host is asked at all: a pure state machine over the time since some start.
///
/// After five failures in a row nothing is sent for five seconds; then one request tries it. When that fails too, the
/// pause doubles, up to a minute. Whoever asks meanwhile has an answer at once, and Apple is left to recover.
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

    /// How long nothing is sent to the host.
    ///
    /// - Parameter now: The time.
    /// - Returns: The time left, more than zero; `nil` when a request may try.
    func pause(at now: Duration) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let until, _): until > now ? until - now : nil
        case .trying(let until, _): until > now ? until - now : nil
        }
    }

    /// Asks to send a request.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - timeout: How long the request may take.
    /// - Returns: `nil` when it may be sent, and its outcome recorded; else how long to wait.
    mutating func admit(at now: Duration, timeout: Duration) -> Duration? {
        if let pause = pause(at: now) { return pause }
        switch state {
        case .closed: break
        case .open(_, let pause), .trying(_, let pause): state = .trying(until: now + timeout, pause: pause)
        }
        return nil
    }

    /// Records what became of a request that was admitted.
    ///
    /// - Parameters:
    ///   - isSuccess: Whether the host answered as a host does that is well.
    ///   - now: The time.
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

/// How fast requests follow each other: a pure state machine over the time since some start.
///
/// Requests are spaced evenly; a fifth of a second's worth may come at once. (The generic cell rate algorithm.)
struct RequestPace: Sendable {
    private let interval: Duration
    private let tolerance: Duration
    private var next = Duration.zero

    /// Sets the pace.
    ///
    /// - Parameter requestsPerSecond: How many requests a second has room for, 1 or more.
    init(requestsPerSecond: Int) {
        interval = .seconds(1) / max(requestsPerSecond, 1)
        tolerance = .milliseconds(200)
    }

    /// Takes the next place in the row.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - patience: How long the request can wait.
    /// - Returns: How long to wait; when that is more than `patience`, no place was taken.
    mutating func reserve(at now: Duration, patience: Duration) -> Duration {
        let due = max(next, now)
        let wait = max(due - tolerance - now, .zero)
        guard wait <= patience else { return wait }
        next = due + interval
        return wait
    }

    /// Leaves no place before a moment, for whatever was asked; a place that was taken already stays.
    ///
    /// - Parameter moment: The moment.
    mutating func hold(until moment: Duration) { next = max(next, moment + tolerance) }

    /// Gives a place back that was taken, and not used: the row is shorter for whoever comes next.
    mutating func giveBack() { next -= interval }
}

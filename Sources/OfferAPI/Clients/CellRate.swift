/// A rate over time with a burst: the generic cell rate algorithm (ITU-T I.371, as a virtual schedule).
///
/// A pure state machine over the time since some start. It stores only the moment at which all that was taken will have
/// been worked off, so that another limit can be asked of it at any time.
struct CellRate: Equatable, Sendable {
    struct Limit: Equatable, Sendable {
        /// The number a second, in the long run.
        let perSecond: Int
        let burst: Int
        /// The time that one takes.
        let interval: Duration
        /// The time that a burst takes.
        let tolerance: Duration

        init(perSecond: Int, burst: Int) {
            self.perSecond = max(perSecond, 1)
            self.burst = max(burst, 1)
            interval = .seconds(1) / self.perSecond
            tolerance = interval * self.burst
        }
    }

    private var clearAt = Duration.zero

    /// Acquires all of a number and returns `nil`, or acquires none and returns the time after which it can.
    ///
    /// When nothing has to be worked off, even more than a burst can be taken, and is worked off before anything else
    /// is taken: a question larger than the rate is answered, and the rate holds.
    mutating func acquire(_ count: Int, within limit: Limit, at now: Duration) -> Duration? {
        let cost = limit.interval * count
        let next = max(clearAt, now) + cost
        let wait = next - max(limit.tolerance, cost) - now
        guard wait <= .zero else { return wait }
        clearAt = next
        return nil
    }

    func remaining(within limit: Limit, at now: Duration) -> Int {
        let free = limit.tolerance - backlog(at: now)
        // Whole attoseconds are exact; a quotient of floating point numbers may be one too small.
        return free > .zero ? Int(clamping: free.attoseconds / limit.interval.attoseconds) : 0
    }

    /// The time after which a whole burst can be taken again.
    func backlog(at now: Duration) -> Duration { max(clearAt - now, .zero) }
}

extension Duration {
    var secondsRoundedUp: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) + (attoseconds > 0 ? 1 : 0)
    }
}

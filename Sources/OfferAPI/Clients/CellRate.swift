/// A rate that is kept over time, with some at once: the generic cell rate algorithm (ITU-T I.371, as a virtual schedule).
///
/// A pure state machine over the time since some start. Nothing is kept but the moment at which all that was taken will
/// have been worked off, so that another limit can be asked of it at any time.
struct CellRate: Equatable, Sendable {
    /// How much a rate lets pass.
    struct Limit: Equatable, Sendable {
        /// How many a second, in the long run.
        let perSecond: Int
        /// How many at once.
        let burst: Int
        /// The time that one takes.
        let interval: Duration
        /// The time that a burst takes.
        let tolerance: Duration

        /// Sets a limit.
        init(perSecond: Int, burst: Int) {
            self.perSecond = max(perSecond, 1)
            self.burst = max(burst, 1)
            interval = .seconds(1) / self.perSecond
            tolerance = interval * self.burst
        }
    }

    private var clearAt = Duration.zero

    /// Takes a number at once, or none of them.
    ///
    /// More than a burst can be taken when nothing has to be worked off, and is worked off before anything else is taken: a
    /// question that is larger than the rate is answered, and the rate is kept.
    ///
    /// - Returns: `nil` when they were taken; otherwise after how long they can be.
    mutating func take(_ count: Int, within limit: Limit, at now: Duration) -> Duration? {
        let cost = limit.interval * count
        let next = max(clearAt, now) + cost
        let wait = next - max(limit.tolerance, cost) - now
        guard wait <= .zero else { return wait }
        clearAt = next
        return nil
    }

    /// How many can be taken now.
    func remaining(within limit: Limit, at now: Duration) -> Int {
        let free = limit.tolerance - backlog(at: now)
        // Whole attoseconds are exact; a quotient of floating point numbers may be one too small.
        return free > .zero ? Int(clamping: free.attoseconds / limit.interval.attoseconds) : 0
    }

    /// After how long a whole burst can be taken again.
    func backlog(at now: Duration) -> Duration { max(clearAt - now, .zero) }
}

extension Duration {
    /// The duration in whole seconds, rounded up.
    var secondsRoundedUp: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) + (attoseconds > 0 ? 1 : 0)
    }
}

/// The moments of a run, in nanoseconds of the monotonic clock.
struct LoadSchedule {
    /// When the first request is sent.
    let start: Int64
    /// When what is measured begins.
    let warmUpEnd: Int64
    /// When the last request is sent.
    var end: Int64

    private static let second: Int64 = 1_000_000_000

    /// When a second begins, counted from 0.
    ///
    /// The warm-up and what is measured each begin with a whole one, so that none belongs to both.
    ///
    /// - Parameter index: The second.
    /// - Returns: The moment.
    func begin(ofSecond index: Int) -> Int64 {
        index < secondsOfWarmUp
            ? start + Int64(index) * Self.second : warmUpEnd + Int64(index - secondsOfWarmUp) * Self.second
    }

    /// Whether a second belongs to the warm-up.
    ///
    /// - Parameter index: The second.
    /// - Returns: `false` for those that are measured.
    func isWarmUp(second index: Int) -> Bool { index < secondsOfWarmUp }

    /// Whether a request is measured: one that was to be sent in the time is, however late its answer.
    ///
    /// - Parameter intended: When it was to be sent.
    /// - Returns: `false` for one of the warm-up.
    func isMeasured(_ intended: Int64) -> Bool { intended >= warmUpEnd && intended < end }

    private var secondsOfWarmUp: Int { Int((warmUpEnd - start + Self.second - 1) / Self.second) }
}

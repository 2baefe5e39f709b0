import Glibc

/// Measures a time that passes, by a clock that nobody can set.
public struct Stopwatch: Sendable {
    private let start: Int64

    /// Starts to measure.
    public init() {
        start = Self.now
    }

    /// The time since the start, in nanoseconds.
    public var nanoseconds: Int64 { Self.now - start }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

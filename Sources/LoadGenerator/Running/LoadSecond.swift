/// What one second of a run brought, the warm-up's seconds too.
public struct LoadSecond: Equatable, Sendable {
    /// The second, from 0.
    public internal(set) var index: Int
    /// Whether it belongs to the warm-up.
    public internal(set) var isWarmUp: Bool
    /// Requests that brought every signature asked for.
    public internal(set) var fulfilled = 0
    /// Their signatures.
    public internal(set) var signatures = 0
    /// Requests that failed.
    public internal(set) var failed = 0
    /// The latencies of those that were fulfilled, in nanoseconds.
    public internal(set) var latency = Histogram()

    /// Whether it brought anything.
    var hasContent: Bool { fulfilled + signatures + failed > 0 }
}

import CoreMetrics

/// How often values fell into each of a few fixed buckets: of durations, kept in nanoseconds, or of other values.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// What was counted so far.
    struct Snapshot {
        /// For each bound, how many values were not above it, and last how many there were at all.
        let cumulative: [UInt64]
        /// The sum of all values; of durations in seconds.
        let sum: Double
    }

    private let bounds: [Double]
    private let nanosecondBounds: [Int64]
    private let buckets: [AtomicCell]
    private let nanoseconds = AtomicCell()
    private let others = AtomicCell()

    /// Creates an empty histogram.
    ///
    /// - Parameter bounds: The upper bounds, ascending, without infinity.
    init(bounds: [Double]) {
        self.bounds = bounds
        nanosecondBounds = bounds.map { Int64(exactly: ($0 * 1e9).rounded()) ?? .max }
        buckets = (0...bounds.count).map { _ in AtomicCell() }
    }

    func recordNanoseconds(_ duration: Int64) {
        let duration = max(duration, 0)
        var index = 0
        while index < nanosecondBounds.count, duration > nanosecondBounds[index] { index += 1 }
        buckets[index].add(UInt64(1))
        nanoseconds.add(UInt64(duration))
    }

    func record(_ value: Int64) { record(Double(value)) }

    /// Counts a value; what is no number is left out.
    func record(_ value: Double) {
        guard !value.isNaN else { return }
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        buckets[index].add(UInt64(1))
        others.add(value)
    }

    /// What was counted so far: the last of the buckets is the count, so that they always agree.
    var snapshot: Snapshot {
        var total: UInt64 = 0
        let cumulative = buckets.map { bucket in
            total &+= bucket.integer
            return total
        }
        return Snapshot(cumulative: cumulative, sum: Double(nanoseconds.integer) / 1e9 + others.double)
    }
}

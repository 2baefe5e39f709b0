import CoreMetrics
import Synchronization

/// How often values fell into each of a few fixed buckets: of durations, kept in nanoseconds, or of other values.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// What was counted so far.
    struct Snapshot {
        /// For each bound, how many values were not above it, and last how many there were at all.
        let cumulative: [UInt64]
        /// The sum of all values; of durations in seconds.
        let sum: Double

        /// What was counted in two histograms with the same bounds.
        static func + (left: Snapshot, right: Snapshot) -> Snapshot {
            Snapshot(cumulative: zip(left.cumulative, right.cumulative).map { $0 &+ $1 }, sum: left.sum + right.sum)
        }
    }

    private let bounds: [Double]
    private let nanosecondBounds: [Int64]
    // One piece of memory, as an array of objects has a reference count for each: it is this object's alone, and nothing
    // but atomics is ever in it.
    private nonisolated(unsafe) let buckets: UnsafeMutableBufferPointer<Atomic<UInt64>>
    private let nanoseconds = AtomicCell()
    private let others = AtomicCell()

    /// Creates an empty histogram.
    ///
    /// - Parameter bounds: The upper bounds, ascending, without infinity.
    init(bounds: [Double]) {
        self.bounds = bounds
        nanosecondBounds = bounds.map { Int64(exactly: ($0 * 1e9).rounded()) ?? .max }
        buckets = .allocate(capacity: bounds.count + 1)
        for index in buckets.indices { buckets.initializeElement(at: index, to: Atomic(0)) }
    }

    deinit {
        buckets.deinitialize()
        buckets.deallocate()
    }

    func recordNanoseconds(_ duration: Int64) {
        let duration = max(duration, 0)
        var index = 0
        while index < nanosecondBounds.count, duration > nanosecondBounds[index] { index += 1 }
        buckets[index].wrappingAdd(1, ordering: .relaxed)
        nanoseconds.add(UInt64(duration))
    }

    func record(_ value: Int64) { record(Double(value)) }

    /// Counts a value; what is no number is left out.
    func record(_ value: Double) {
        guard !value.isNaN else { return }
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        buckets[index].wrappingAdd(1, ordering: .relaxed)
        others.add(value)
    }

    /// What was counted so far: the last of the buckets is the count, so that they always agree.
    var snapshot: Snapshot {
        var total: UInt64 = 0
        let cumulative = buckets.indices.map { index in
            total &+= buckets[index].load(ordering: .relaxed)
            return total
        }
        return Snapshot(cumulative: cumulative, sum: Double(nanoseconds.integer) / 1e9 + others.double)
    }
}

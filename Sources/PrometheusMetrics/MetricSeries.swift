import CoreMetrics
import Synchronization

/// A number that only grows, of whole steps or of others.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler {
    private let whole = AtomicCell()
    private let fraction = AtomicCell()

    var value: Double { Double(whole.integer) + fraction.double }

    /// Adds to it; a step back is left out, as a counter takes none.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        whole.add(UInt64(amount))
    }

    /// Adds to it; a step back, or one that is no number, is left out.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        fraction.add(amount)
    }

    func reset() {
        whole.set(UInt64(0))
        fraction.set(0.0)
    }
}

/// A number that goes up and down: the last that was set.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let cell = AtomicCell()

    var value: Double { cell.double }

    func set(_ value: Int64) { cell.set(Double(value)) }

    func set(_ value: Double) { cell.set(value) }

    func increment(by amount: Double) { cell.add(amount) }

    func decrement(by amount: Double) { cell.add(-amount) }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }
}

/// How often values fell into each of a few fixed buckets: of durations, kept in nanoseconds, or of other values.
final class HistogramSeries: TimerHandler, RecorderHandler {
    struct Snapshot {
        /// The number of values up to each bound, and last the number of all values.
        let cumulative: [UInt64]
        /// The sum of all values; of durations in seconds.
        let sum: Double
    }

    private let bounds: [Double]
    private let nanosecondBounds: [Int64]
    // One piece of memory, as an array of objects has a reference count for each: it is this object's alone, and nothing
    // but atomics is ever in it.
    private nonisolated(unsafe) let buckets: UnsafeMutableBufferPointer<Atomic<UInt64>>
    private let nanoseconds = AtomicCell()
    private let others = AtomicCell()

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

    /// The counts so far: the last of the buckets is the count, so that they always agree.
    var snapshot: Snapshot {
        var total: UInt64 = 0
        let cumulative = buckets.indices.map { index in
            total &+= buckets[index].load(ordering: .relaxed)
            return total
        }
        return Snapshot(cumulative: cumulative, sum: Double(nanoseconds.integer) / 1e9 + others.double)
    }
}

/// A number that threads add to without a lock.
final class AtomicCell: Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The bits as a whole number; additions wrap around, as a counter of Prometheus may.
    var integer: UInt64 { bits.load(ordering: .relaxed) }

    var double: Double { Double(bitPattern: integer) }

    func add(_ amount: UInt64) {
        bits.wrappingAdd(amount, ordering: .relaxed)
    }

    func add(_ amount: Double) {
        var known = integer
        while true {
            let sum = (Double(bitPattern: known) + amount).bitPattern
            let (done, now) = bits.weakCompareExchange(expected: known, desired: sum, ordering: .relaxed)
            if done { return }
            known = now
        }
    }

    func set(_ value: UInt64) {
        bits.store(value, ordering: .relaxed)
    }

    func set(_ value: Double) {
        set(value.bitPattern)
    }
}

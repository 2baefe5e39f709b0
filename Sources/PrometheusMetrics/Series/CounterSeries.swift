import CoreMetrics

/// A number that only grows, of whole steps or of others.
final class CounterSeries: CounterHandler, FloatingPointCounterHandler {
    private let whole = AtomicCell()
    private let fraction = AtomicCell()

    /// The sum of all steps.
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

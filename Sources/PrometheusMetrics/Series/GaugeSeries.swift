import CoreMetrics

/// A number that goes up and down: the last that was set.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let cell = AtomicCell()

    /// The number now.
    var value: Double { cell.double }

    func set(_ value: Int64) { cell.set(Double(value)) }

    func set(_ value: Double) { cell.set(value) }

    func increment(by amount: Double) { cell.add(amount) }

    func decrement(by amount: Double) { cell.add(-amount) }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }
}

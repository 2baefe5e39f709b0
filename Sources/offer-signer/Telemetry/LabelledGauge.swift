import CoreMetrics
import Synchronization

/// A gauge with one label, whose values come and go with the configuration.
final class LabelledGauge: Sendable {
    private let name: String
    private let label: String
    private let factory: any MetricsFactory
    private let meters = Mutex<[String: Meter]>([:])

    /// Creates a gauge that tells nothing yet.
    init(_ name: String, label: String, factory: any MetricsFactory) {
        self.name = name
        self.label = label
        self.factory = factory
    }

    /// Tells these values, and no others any more.
    func set(_ values: [String: Int]) {
        meters.withLock { meters in
            for (key, value) in values {
                let meter = meters[key] ?? Meter(label: name, dimensions: [(label, key)], factory: factory)
                meters[key] = meter
                meter.set(value)
            }
            for (key, meter) in meters where values[key] == nil {
                meter.destroy()
                meters[key] = nil
            }
        }
    }
}

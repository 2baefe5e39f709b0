import CoreMetrics

/// Makes handles of a registry's metrics that nobody else counts through; gauges, of which there is one number each, are
/// the registry's own.
final class PrometheusStripe: MetricsFactory {
    private let number: Int
    private let registry: PrometheusRegistry

    /// Takes a stripe of a registry.
    ///
    /// - Parameters:
    ///   - number: The stripe's number; 0 is the registry itself.
    ///   - registry: The registry.
    init(number: Int, registry: PrometheusRegistry) {
        self.number = number
        self.registry = registry
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        registry.counter(label, dimensions, of: number)
    }

    func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        registry.counter(label, dimensions, of: number)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        registry.makeMeter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return registry.makeRecorder(label: label, dimensions: dimensions, aggregate: false) }
        return registry.histogram(label, dimensions, of: number)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        registry.histogram(label, dimensions, of: number)
    }

    func destroyCounter(_ handler: any CounterHandler) { registry.destroyCounter(handler) }
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        registry.destroyFloatingPointCounter(handler)
    }
    func destroyMeter(_ handler: any MeterHandler) { registry.destroyMeter(handler) }
    func destroyRecorder(_ handler: any RecorderHandler) { registry.destroyRecorder(handler) }
    func destroyTimer(_ handler: any TimerHandler) { registry.destroyTimer(handler) }
}

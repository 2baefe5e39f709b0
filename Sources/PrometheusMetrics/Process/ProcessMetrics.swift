public import CoreMetrics
import Synchronization

/// What the process uses, under the names that Prometheus' client libraries give it ("Process metrics").
public final class ProcessMetrics: Sendable {
    /// What the metrics are, for the registry.
    public static let definitions = [
        MetricDefinition("process_cpu_seconds_total", .counter, "Processor time used, user and system, in seconds."),
        MetricDefinition("process_resident_memory_bytes", .gauge, "Memory in RAM, in bytes."),
        MetricDefinition("process_virtual_memory_bytes", .gauge, "Address space, in bytes."),
        MetricDefinition("process_threads", .gauge, "Threads."),
        MetricDefinition("process_open_fds", .gauge, "Open file descriptors."),
        MetricDefinition("process_max_fds", .gauge, "How many file descriptors may be open."),
        MetricDefinition("process_start_time_seconds", .gauge, "When the process started, in seconds since 1970."),
    ]

    private let processor: FloatingPointCounter
    private let resident: Meter
    private let virtual: Meter
    private let threads: Meter
    private let openDescriptors: Meter
    private let maximumDescriptors: Meter
    private let told = Mutex(0.0)

    /// Makes the handles, and tells when the process started; the rest is told by ``update()``.
    ///
    /// - Parameter factory: What keeps the metrics.
    public init(factory: any MetricsFactory) {
        processor = FloatingPointCounter(label: "process_cpu_seconds_total", factory: factory)
        resident = Meter(label: "process_resident_memory_bytes", factory: factory)
        virtual = Meter(label: "process_virtual_memory_bytes", factory: factory)
        threads = Meter(label: "process_threads", factory: factory)
        openDescriptors = Meter(label: "process_open_fds", factory: factory)
        maximumDescriptors = Meter(label: "process_max_fds", factory: factory)
        // Once, as it has to stay the same to the last digit: a restart is seen by its change.
        let start = Meter(label: "process_start_time_seconds", factory: factory)
        if let usage = ProcessUsage.now() { start.set(usage.startSeconds) }
    }

    /// Asks the kernel, and tells what it says: to be called before the metrics are read.
    public func update() {
        guard let usage = ProcessUsage.now() else { return }
        let used = told.withLock { told in
            defer { told = max(told, usage.processorSeconds) }
            return usage.processorSeconds - told
        }
        if used > 0 { processor.increment(by: used) }
        resident.set(usage.residentBytes)
        virtual.set(usage.virtualBytes)
        threads.set(usage.threads)
        if let open = usage.openDescriptors { openDescriptors.set(open) }
        if let maximum = usage.maximumDescriptors { maximumDescriptors.set(maximum) }
    }
}

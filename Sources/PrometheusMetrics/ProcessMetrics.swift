package import CoreMetrics
import FoundationEssentials
import Glibc
import Synchronization

/// The process's usage, under the names that Prometheus' client libraries give it ("Process metrics").
package final class ProcessMetrics: Sendable {
    private static let processorSeconds = "process_cpu_seconds_total"
    private static let startSeconds = "process_start_time_seconds"
    private static let gauges: [(name: String, help: String, value: @Sendable (ProcessUsage) -> Double?)] = [
        ("process_resident_memory_bytes", "Memory in RAM, in bytes.", { $0.residentBytes }),
        ("process_virtual_memory_bytes", "Address space, in bytes.", { $0.virtualBytes }),
        ("process_threads", "Threads.", { $0.threads }),
        ("process_open_fds", "Open file descriptors.", { $0.openDescriptors }),
        ("process_max_fds", "How many file descriptors may be open.", { $0.maximumDescriptors }),
    ]

    package static let definitions =
        [
            MetricDefinition(processorSeconds, .counter, "Processor time used, user and system, in seconds."),
            MetricDefinition(startSeconds, .gauge, "When the process started, in seconds since 1970."),
        ] + gauges.map { MetricDefinition($0.name, .gauge, $0.help) }

    private let processor: FloatingPointCounter
    private let meters: [Meter]
    private let reported = Mutex(0.0)

    /// Makes the handles, and reports when the process started; ``update()`` reports the rest.
    package init(factory: any MetricsFactory) {
        processor = FloatingPointCounter(label: Self.processorSeconds, factory: factory)
        meters = Self.gauges.map { Meter(label: $0.name, factory: factory) }
        // Once, as it has to stay the same to the last digit: a restart is seen by its change.
        let start = Meter(label: Self.startSeconds, factory: factory)
        if let usage = ProcessUsage.now() { start.set(usage.startSeconds) }
    }

    /// Asks the kernel, and reports its figures: to be called before the metrics are read.
    package func update() {
        guard let usage = ProcessUsage.now() else { return }
        let used = reported.withLock { reported in
            defer { reported = max(reported, usage.processorSeconds) }
            return usage.processorSeconds - reported
        }
        if used > 0 { processor.increment(by: used) }
        for (gauge, meter) in zip(Self.gauges, meters) {
            if let value = gauge.value(usage) { meter.set(value) }
        }
    }
}

/// The process's use of the machine, as the kernel reports it.
struct ProcessUsage {
    let processorSeconds: Double
    /// Memory that is in RAM, in bytes.
    let residentBytes: Double
    let virtualBytes: Double
    let threads: Double
    /// Open file descriptors; `nil` where they cannot be counted.
    let openDescriptors: Double?
    /// How many there may be; `nil` for no limit.
    let maximumDescriptors: Double?
    /// In seconds since 1970.
    let startSeconds: Double

    /// Asks the kernel now (proc(5): `/proc/self/stat`, `/proc/self/fd`); `nil` where it gives no answer.
    static func now() -> ProcessUsage? {
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/self/stat")) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        // The second field is the program's name, which may hold anything, in parentheses.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > 21 else { return nil }
        // Counted from the third field: 20 num_threads, 22 starttime in ticks, 23 vsize, 24 rss in pages.
        let uptimeAtStart = fields[19] / Double(sysconf(Int32(_SC_CLK_TCK)))
        return ProcessUsage(
            processorSeconds: seconds(of: CLOCK_PROCESS_CPUTIME_ID),
            residentBytes: fields[21] * Double(sysconf(Int32(_SC_PAGESIZE))),
            virtualBytes: fields[20],
            threads: fields[17],
            openDescriptors: openDescriptors,
            maximumDescriptors: maximumDescriptors,
            startSeconds: seconds(of: CLOCK_REALTIME) - seconds(of: CLOCK_BOOTTIME) + uptimeAtStart
        )
    }

    private static var openDescriptors: Double? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { return nil }
        // One of them is that of the directory itself.
        return Double(max(names.count - 1, 0))
    }

    private static var maximumDescriptors: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return Double(limit.rlim_cur)
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

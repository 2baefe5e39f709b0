import CoreMetrics
import PrometheusMetrics
import Testing

@Suite("The registry")
struct PrometheusRegistryTests {
    @Test("labels beyond the room for series are counted in one series, and that is shown")
    func boundedCardinality() {
        let registry = PrometheusRegistry(maximumSeries: 2)
        for name in ["a", "b", "c", "d", "a"] {
            Counter(label: "calls_total", dimensions: [("client", name), ("kind", "x")], factory: registry).increment()
        }
        let all = String(decoding: registry.exposition(), as: UTF8.self)
        #expect(
            text(of: registry) == """
                # TYPE calls_total counter
                calls_total{client="a",kind="x"} 2
                calls_total{client="b",kind="x"} 1
                calls_total{client="overflow",kind="overflow"} 2

                """
        )
        #expect(all.hasSuffix("metrics_series_folded_total{metric=\"calls_total\"} 2\n"))
    }

    @Test("a handle that is made again goes on counting where the first one was")
    func sameSeries() {
        let registry = PrometheusRegistry()
        for _ in 1...3 { Counter(label: "reloads_total", factory: registry).increment(by: 2) }
        #expect(text(of: registry) == "# TYPE reloads_total counter\nreloads_total 6\n")
    }

    @Test("a counter never falls")
    func counters() {
        let registry = PrometheusRegistry()
        Counter(label: "steps_total", factory: registry).increment(by: -5)
        let seconds = FloatingPointCounter(label: "seconds_total", factory: registry)
        for step in [0.5, -3, .nan, 0.25] { seconds.increment(by: step) }
        #expect(
            text(of: registry)
                == "# TYPE seconds_total counter\nseconds_total 0.75\n# TYPE steps_total counter\nsteps_total 0\n"
        )
    }

    @Test("a handle of another kind than its name was described as is shown nowhere, and harms nothing")
    func kindMismatch() {
        let registry = PrometheusRegistry([MetricDefinition("depth", .gauge, "How deep.")])
        Counter(label: "depth", factory: registry).increment()
        Timer(label: "depth", factory: registry).recordSeconds(1)
        Meter(label: "depth", factory: registry).set(7)
        #expect(text(of: registry) == "# HELP depth How deep.\n# TYPE depth gauge\ndepth 7\n")
    }

    @Test("a series that is destroyed is not shown any more")
    func destroyed() {
        let registry = PrometheusRegistry()
        let handles = ["a", "b"].map { Meter(label: "state", dimensions: [("app", $0)], factory: registry) }
        handles[0].destroy()
        #expect(text(of: registry) == "# TYPE state gauge\nstate{app=\"b\"} 0\n")
    }

    @Test("nothing is lost when threads count at once, and a histogram's count is that of its last bucket")
    func threads() async {
        let registry = PrometheusRegistry([MetricDefinition("time_seconds", .histogram(bounds: [1]), "Time.")])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let counter = Counter(label: "calls_total", factory: registry)
                    let fraction = FloatingPointCounter(label: "parts_total", factory: registry)
                    let timer = Timer(label: "time_seconds", factory: registry)
                    for _ in 0..<10_000 {
                        counter.increment()
                        fraction.increment(by: 0.5)
                        timer.recordSeconds(2)
                    }
                }
            }
        }
        let lines = text(of: registry).split(separator: "\n")
        #expect(lines.contains("calls_total 40000"))
        #expect(lines.contains("parts_total 20000"))
        #expect(lines.contains("time_seconds_bucket{le=\"1\"} 0"))
        #expect(lines.contains("time_seconds_count 40000"))
        #expect(lines.contains("time_seconds_sum 80000"))
    }

    @Test("the process is shown under Prometheus' standard names, with numbers that can be true")
    func process() throws {
        let registry = PrometheusRegistry(ProcessMetrics.definitions)
        let metrics = ProcessMetrics(factory: registry)
        metrics.update()
        let lines = text(of: registry).split(separator: "\n")
        var values: [Substring: Double] = [:]
        for line in lines where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            values[parts[0]] = Double(parts[1])
        }
        #expect(Set(values.keys.map(String.init)) == Set(ProcessMetrics.definitions.map(\.name)))
        #expect(try #require(values["process_cpu_seconds_total"]) > 0)
        #expect(try #require(values["process_resident_memory_bytes"]) > 1_000_000)
        #expect(try #require(values["process_threads"]) >= 1)
        #expect(try #require(values["process_open_fds"]) >= 3)
        #expect(try #require(values["process_start_time_seconds"]) > 1_600_000_000)
        let again = try #require(values["process_cpu_seconds_total"])
        metrics.update()
        let later = text(of: registry).split(separator: "\n").first { $0.hasPrefix("process_cpu_seconds_total ") }
        #expect(try #require(later.flatMap { Double($0.split(separator: " ")[1]) }) >= again)
    }
}

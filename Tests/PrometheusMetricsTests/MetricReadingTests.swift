import CoreMetrics
import PrometheusMetrics
import Testing

@Suite("A program's reading of its own metrics")
struct MetricReadingTests {
    @Test("Labels are read back as they were given")
    func labels() throws {
        let registry = PrometheusRegistry([MetricDefinition("calls_total", .counter, "Calls.")])
        let odd = #"a "quoted" \ one, b="c""# + "\nand a line"
        for number in [2, 3] {
            Counter(label: "calls_total", dimensions: [("client", odd), ("empty", "")], factory: registry)
                .increment(by: number)
        }
        let reading = try #require(registry.readings { $0 == "calls_total" }.first)
        #expect(reading.help == "Calls.")
        #expect(reading.series.map(\.labels) == [["client": odd, "empty": ""]])
        #expect(reading.series.map(\.value) == [5])
        #expect(reading.sums.isEmpty)
    }

    @Test("Only the metrics asked for are read, in the order of names; of durations the number and the sum")
    func wanted() {
        let registry = PrometheusRegistry([MetricDefinition("b_seconds", .durations, "")])
        Counter(label: "c", factory: registry).increment()
        Timer(label: "b_seconds", factory: registry).recordMilliseconds(1500)
        Timer(label: "b_seconds", factory: registry).recordMilliseconds(500)
        Meter(label: "a", factory: registry).set(7)
        let readings = registry.readings { $0 != "c" }
        #expect(readings.map(\.name) == ["a", "b_seconds"])
        #expect(readings.map { $0.series.map(\.value) } == [[7], [2]])
        #expect(readings.map(\.sums) == [[], [2]])
    }
}

import CoreMetrics
import PrometheusMetrics
import Testing

@Suite("The text format of Prometheus, 0.0.4")
struct ExpositionTests {
    @Test("a counter, a gauge and a histogram are written as in the format's own example")
    func knownAnswer() {
        let registry = PrometheusRegistry([
            MetricDefinition("http_requests_total", .counter, "The total number of HTTP requests."),
            MetricDefinition("temperature_celsius", .gauge, "It is warm."),
            MetricDefinition(
                "http_request_duration_seconds",
                .histogram(bounds: [0.05, 0.1, 2.5]),
                "A histogram of the request duration."
            ),
        ])
        let post = Counter(
            label: "http_requests_total",
            dimensions: [("method", "post"), ("code", "200")],
            factory: registry
        )
        post.increment(by: 1027)
        Counter(label: "http_requests_total", dimensions: [("method", "get"), ("code", "400")], factory: registry)
            .increment(by: 3)
        let temperature = Meter(label: "temperature_celsius", factory: registry)
        temperature.set(20)
        temperature.increment(by: 1.5)
        let duration = Timer(label: "http_request_duration_seconds", factory: registry)
        for milliseconds in [50, 51, 100, 3000] { duration.recordMilliseconds(milliseconds) }
        #expect(
            text(of: registry) == """
                # HELP http_request_duration_seconds A histogram of the request duration.
                # TYPE http_request_duration_seconds histogram
                http_request_duration_seconds_bucket{le="0.05"} 1
                http_request_duration_seconds_bucket{le="0.1"} 3
                http_request_duration_seconds_bucket{le="2.5"} 3
                http_request_duration_seconds_bucket{le="+Inf"} 4
                http_request_duration_seconds_sum 3.201
                http_request_duration_seconds_count 4
                # HELP http_requests_total The total number of HTTP requests.
                # TYPE http_requests_total counter
                http_requests_total{method="get",code="400"} 3
                http_requests_total{method="post",code="200"} 1027
                # HELP temperature_celsius It is warm.
                # TYPE temperature_celsius gauge
                temperature_celsius 21.5

                """
        )
    }

    @Test("values of labels and helps stay in their line, with any characters")
    func escaping() {
        let registry = PrometheusRegistry([MetricDefinition("files_total", .counter, "First\nsecond \\ \"third\".")])
        Counter(label: "files_total", dimensions: [("path", "C:\\DIR\\\"FILE\"\n")], factory: registry).increment()
        #expect(
            text(of: registry) == #"""
                # HELP files_total First\nsecond \\ "third".
                # TYPE files_total counter
                files_total{path="C:\\DIR\\\"FILE\"\n"} 1

                """#
        )
    }

    @Test("names become valid, and a histogram keeps its le for itself")
    func names() {
        let registry = PrometheusRegistry()
        Timer(label: "2 slow.calls", dimensions: [("le", "x"), ("a-b", "1"), ("a.b", "2")], factory: registry)
            .recordSeconds(1)
        let lines = text(of: registry).split(separator: "\n")
        #expect(lines.first == "# TYPE __slow_calls histogram")
        #expect(lines.last == #"__slow_calls_count{le_="x",a_b="1"} 1"#)
    }

    @Test(
        "one character that does not belong is enough, wherever it stands",
        arguments: [
            ("a-", "a_"), ("-a", "_a"), ("a-b", "a_b"), ("aé", "a_"), ("0a", "_a"), ("a0", "a0"), ("a:b", "a_b"),
            ("Az_9", "Az_9"), ("", "_"), ("@", "_"), ("[", "_"), ("`", "_"), ("{", "_"), ("/", "_"), ("ā", "_"),
        ],
        [("v\\", "v\\\\"), ("\nv", "\\nv"), ("v\"v", "v\\\"v"), ("é", "é"), ("", "")]
    )
    func oneCharacter(name: (given: String, written: String), value: (given: String, written: String)) {
        let registry = PrometheusRegistry()
        Counter(label: "calls", dimensions: [(name.given, value.given)], factory: registry).increment()
        #expect(text(of: registry) == "# TYPE calls counter\ncalls{\(name.written)=\"\(value.written)\"} 1\n")
    }

    @Test("a metric's name keeps its colons")
    func colons() {
        let registry = PrometheusRegistry()
        Counter(label: "offers:signed:rate5m", factory: registry).increment()
        #expect(text(of: registry) == "# TYPE offers:signed:rate5m counter\noffers:signed:rate5m 1\n")
    }

    @Test(
        "every number is one that Go's ParseFloat takes",
        arguments: [
            (0.1, "0.1"), (3, "3"), (-2.5e-05, "-2.5e-05"), (1e300, "1e+300"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"), (.nan, "NaN"),
        ]
    )
    func numbers(value: Double, expected: String) {
        let registry = PrometheusRegistry()
        Meter(label: "number", factory: registry).set(value)
        #expect(text(of: registry) == "# TYPE number gauge\nnumber \(expected)\n")
    }

    @Test("a metric that is described is shown before anything is counted")
    func described() {
        let registry = PrometheusRegistry([MetricDefinition("calls_total", .counter, "Calls.")])
        #expect(text(of: registry) == "# HELP calls_total Calls.\n# TYPE calls_total counter\n")
    }

    @Test("without counts, only the number of folded series is written")
    func empty() {
        #expect(
            String(decoding: PrometheusRegistry().exposition(), as: UTF8.self) == """
                # HELP metrics_series_folded_total How often labels were beyond a metric's room for series, and \
                counted in its series overflow.
                # TYPE metrics_series_folded_total counter

                """
        )
    }
}

/// What a registry tells, without the metric about itself at the end.
func text(of registry: PrometheusRegistry) -> String {
    let lines = String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n")
    return lines.filter { !$0.contains(PrometheusRegistry.foldedName) }.map { $0 + "\n" }.joined()
}

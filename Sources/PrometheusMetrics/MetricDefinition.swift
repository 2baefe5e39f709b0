/// What a metric is, for whoever reads `/metrics`: its name, its kind, and what it counts.
public struct MetricDefinition: Equatable, Sendable {
    /// The kinds of metrics in Prometheus' text format.
    public enum Kind: Equatable, Sendable {
        /// A number that only grows; its name ends in `_total`.
        case counter
        /// A number that goes up and down.
        case gauge
        /// How often values were at most each of these bounds, which ascend; those of durations are in seconds.
        case histogram(bounds: [Double])
    }

    /// The name in the text format, such as `offer_signer_requests_total`: the label of the swift-metrics handle.
    public let name: String
    /// The kind.
    public let kind: Kind
    /// What it tells, in a sentence, with its unit where the name does not say it.
    public let help: String

    /// Describes a metric.
    ///
    /// - Parameters:
    ///   - name: The name: letters, digits, `_` and `:`, and no digit first.
    ///   - kind: The kind.
    ///   - help: What it tells, in a sentence.
    public init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

extension MetricDefinition.Kind {
    /// A histogram of durations in seconds, from what a program does by itself to what it waits for others to do.
    public static let durations = Self.histogram(
        bounds: [
            0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10,
        ]
    )

    /// The word after `# TYPE`.
    var keyword: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    /// Whether both are counters, gauges or histograms.
    func isSame(as other: Self) -> Bool { keyword == other.keyword }
}

struct MetricFamily: Sendable {
    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    let kind: MetricDefinition.Kind
    /// Its meaning; `nil` for a metric that nobody described.
    let help: String?
    private(set) var series: [LabelSet: Series] = [:]
    /// How often a series was asked for that there was no room for.
    private(set) var folded: UInt64 = 0
    /// The labels of the series that the last one was folded into: nearly all of a metric have the same names.
    private var overflow: (names: [String], labels: LabelSet)?

    init(kind: MetricDefinition.Kind, help: String?) {
        self.kind = kind
        self.help = help
    }

    /// The series with these labels: the one that is there, a new one, or, where there are already so many besides it,
    /// the one whose labels all say `overflow`.
    mutating func series(for dimensions: [(String, String)], maximum: Int) -> Series {
        var labels = LabelSet(dimensions)
        if series[labels] == nil, series.count >= maximum {
            folded += 1
            labels = overflowLabels(for: dimensions)
        }
        if let known = series[labels] { return known }
        let new = Self.newSeries(of: kind)
        series[labels] = new
        return new
    }

    private mutating func overflowLabels(for dimensions: [(String, String)]) -> LabelSet {
        if let overflow, overflow.names.elementsEqual(dimensions, by: { $0 == $1.0 }) { return overflow.labels }
        let labels = LabelSet.overflow(of: dimensions)
        overflow = (dimensions.map(\.0), labels)
        return labels
    }

    mutating func remove(where isIt: (Series) -> Bool) {
        if let labels = series.first(where: { isIt($0.value) })?.key { series[labels] = nil }
    }

    /// A series that nobody has yet.
    static func newSeries(of kind: MetricDefinition.Kind) -> Series {
        switch kind {
        case .counter: .counter(CounterSeries())
        case .gauge: .gauge(GaugeSeries())
        case .histogram(let bounds): .histogram(HistogramSeries(bounds: bounds))
        }
    }
}

/// The description of a metric for readers of `/metrics`: its name, its kind, and what it counts.
package struct MetricDefinition: Equatable, Sendable {
    /// The kinds of metrics in Prometheus' text format.
    package enum Kind: Equatable, Sendable {
        /// A number that only grows; its name ends in `_total`.
        case counter
        case gauge
        /// How often values were at most each of these bounds, which ascend; those of durations are in seconds.
        case histogram(bounds: [Double])
    }

    package let name: String
    package let kind: Kind
    /// Its meaning in a sentence, with its unit if the name does not say it.
    package let help: String

    /// The name has letters, digits, `_` and `:`, and no digit first.
    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

extension MetricDefinition.Kind {
    /// A histogram of durations in seconds, from what a program does by itself to what it waits for others to do.
    package static let durations = Self.histogram(
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

    func isSame(as other: Self) -> Bool { keyword == other.keyword }
}

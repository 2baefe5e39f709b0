/// All series of one metric.
struct MetricFamily: Sendable {
    /// One series, by its kind.
    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    /// The kind of all of them.
    let kind: MetricDefinition.Kind
    /// What it tells; `nil` for a metric that nobody described.
    let help: String?
    /// The series by their labels.
    private(set) var series: [LabelSet: Series] = [:]
    /// How often a series was asked for that there was no room for.
    private(set) var folded: UInt64 = 0

    /// Creates a metric without series.
    ///
    /// - Parameters:
    ///   - kind: The kind of its series.
    ///   - help: What it tells.
    init(kind: MetricDefinition.Kind, help: String?) {
        self.kind = kind
        self.help = help
    }

    /// The series with these labels: the one that is there, a new one, or, when there are too many, the one whose
    /// labels all say `overflow`.
    ///
    /// - Parameters:
    ///   - dimensions: The labels.
    ///   - maximum: How many series there may be, the one for the overflow not counted.
    /// - Returns: The series.
    mutating func series(for dimensions: [(String, String)], maximum: Int) -> Series {
        let labels = LabelSet(dimensions)
        if let known = series[labels] { return known }
        guard series.count >= maximum else { return add(labels) }
        folded += 1
        let overflow = LabelSet.overflow(of: dimensions)
        return series[overflow] ?? add(overflow)
    }

    /// Forgets a series.
    ///
    /// - Parameter isIt: Tells which.
    mutating func remove(where isIt: (Series) -> Bool) {
        if let labels = series.first(where: { isIt($0.value) })?.key { series[labels] = nil }
    }

    private mutating func add(_ labels: LabelSet) -> Series {
        let new = Self.newSeries(of: kind)
        series[labels] = new
        return new
    }

    /// A series that nobody has yet.
    ///
    /// - Parameter kind: Its kind.
    /// - Returns: The series, at zero.
    static func newSeries(of kind: MetricDefinition.Kind) -> Series {
        switch kind {
        case .counter: .counter(CounterSeries())
        case .gauge: .gauge(GaugeSeries())
        case .histogram(let bounds): .histogram(HistogramSeries(bounds: bounds))
        }
    }
}

extension PrometheusRegistry {
    /// Everything that was counted so far, in Prometheus' text format 0.0.4, in the order of names and labels.
    ///
    /// A metric that is described is told with its kind and help also while it has no series.
    ///
    /// - Returns: The text in UTF-8, to be served as ``contentType``.
    public func exposition() -> [UInt8] {
        let families = snapshot
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.write(name, family.kind, help: family.help)
            for (labels, parts) in family.series.sorted(by: { $0.key.text < $1.key.text }) {
                var sum = 0.0
                var values: HistogramSeries.Snapshot?
                for part in parts.values {
                    switch part {
                    case .counter(let series): sum += series.value
                    case .gauge(let series): sum += series.value
                    case .histogram(let series): values = values.map { $0 + series.snapshot } ?? series.snapshot
                    }
                }
                if let values {
                    text.write(name, labels.text, values, of: family.kind)
                } else {
                    text.write(name, labels.text, sum)
                }
            }
        }
        text.write(
            Self.foldedName,
            .counter,
            help: "How often labels were beyond a metric's room for series, and counted in its series overflow."
        )
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.write(Self.foldedName, "metric=\"\(name)\"", Double(family.folded))
        }
        return Array(text.utf8)
    }
}

extension String {
    fileprivate mutating func write(_ name: String, _ kind: MetricDefinition.Kind, help: String?) {
        if let help { self += "# HELP \(name) \(LabelSet.escaped(help, quotes: false))\n" }
        self += "# TYPE \(name) \(kind.keyword)\n"
    }

    fileprivate mutating func write(_ name: String, _ labels: String, _ value: Double) {
        self += labels.isEmpty ? "\(name) \(value.sample)\n" : "\(name){\(labels)} \(value.sample)\n"
    }

    fileprivate mutating func write(
        _ name: String,
        _ labels: String,
        _ values: HistogramSeries.Snapshot,
        of kind: MetricDefinition.Kind
    ) {
        guard case .histogram(let bounds) = kind else { return }
        let prefix = labels.isEmpty ? "" : labels + ","
        for (bound, count) in zip(bounds + [.infinity], values.cumulative) {
            write(name + "_bucket", "\(prefix)le=\"\(bound.sample)\"", Double(count))
        }
        write(name + "_sum", labels, values.sum)
        write(name + "_count", labels, Double(values.cumulative.last ?? 0))
    }
}

extension Double {
    /// The number as Go's ParseFloat takes it, which the format asks for.
    fileprivate var sample: String {
        if isNaN { return "NaN" }
        if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: self).map(String.init) ?? description
    }
}

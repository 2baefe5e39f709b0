/// A metric's values at one moment, for a program that shows its own counts.
package struct MetricReading: Sendable {
    package let name: String
    /// The description of its values; `nil` for a metric that nobody described.
    package let help: String?
    /// The value of each series by its labels: of a counter or gauge the number, of a histogram how many values there were.
    package let series: [(labels: [String: String], value: Double)]
    /// The sum of the values of each series of a histogram, in the same order, of durations in seconds; empty otherwise.
    package let sums: [Double]
}

extension PrometheusRegistry {
    /// Reads metrics, in the order of their names and their series' labels.
    package func readings(where isWanted: (String) -> Bool) -> [MetricReading] {
        let families = snapshot.filter { isWanted($0.key) }
        return families.sorted { $0.key < $1.key }.map { name, family in
            var series: [(labels: [String: String], value: Double)] = []
            var sums: [Double] = []
            for (set, part) in family.series.sorted(by: { $0.key.text < $1.key.text }) {
                let labels = Dictionary(uniqueKeysWithValues: set.pairs.map { ($0.name, $0.value) })
                switch part {
                case .counter(let counter): series.append((labels, counter.value))
                case .gauge(let gauge): series.append((labels, gauge.value))
                case .histogram(let values):
                    let histogram = values.snapshot
                    series.append((labels, Double(histogram.cumulative.last ?? 0)))
                    sums.append(histogram.sum)
                }
            }
            return MetricReading(name: name, help: family.help, series: series, sums: sums)
        }
    }
}

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
            for (labels, part) in family.series.sorted(by: { $0.key.text < $1.key.text }) {
                switch part {
                case .counter(let counter): series.append((labels.values, counter.value))
                case .gauge(let gauge): series.append((labels.values, gauge.value))
                case .histogram(let values):
                    let histogram = values.snapshot
                    series.append((labels.values, Double(histogram.cumulative.last ?? 0)))
                    sums.append(histogram.sum)
                }
            }
            return MetricReading(name: name, help: family.help, series: series, sums: sums)
        }
    }
}

extension LabelSet {
    /// The values of the labels by their names, read back from the text.
    fileprivate var values: [String: String] {
        var values: [String: String] = [:]
        var rest = Substring(text)
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals])
            var value = ""
            var isEscaped = false
            // Behind the equals sign and the quotation mark.
            var characters = rest[equals...].unicodeScalars.dropFirst(2)
            while let character = characters.popFirst() {
                if isEscaped {
                    value.unicodeScalars.append(character == "n" ? "\n" : character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    break
                } else {
                    value.unicodeScalars.append(character)
                }
            }
            values[name] = value
            rest = Substring(characters.dropFirst())
        }
        return values
    }
}

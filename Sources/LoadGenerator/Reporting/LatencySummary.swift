/// The latencies of a run in milliseconds.
public struct LatencySummary: Codable, Equatable, Sendable {
    /// The percentile's value: what so many percent of the requests did not exceed.
    public let p50, p90, p99, p999: Double
    /// The largest.
    public let max: Double
    /// The mean.
    public let mean: Double

    private enum CodingKeys: String, CodingKey {
        case p50, p90, p99, max, mean
        case p999 = "p99.9"
    }

    /// Sums a histogram of nanoseconds up.
    ///
    /// - Parameter histogram: The histogram. One without values gives `nil`: no time at all would look like the best.
    init?(_ histogram: Histogram) {
        guard histogram.count > 0 else { return nil }
        func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1000).rounded() / 1000 }
        p50 = milliseconds(histogram.value(atPercentile: 50))
        p90 = milliseconds(histogram.value(atPercentile: 90))
        p99 = milliseconds(histogram.value(atPercentile: 99))
        p999 = milliseconds(histogram.value(atPercentile: 99.9))
        max = milliseconds(histogram.maximum)
        mean = milliseconds(Int64(histogram.mean))
    }

    /// In the order of a table's columns: p50, p90, p99, p99.9, max, mean.
    var columns: [Double] { [p50, p90, p99, p999, max, mean] }
}

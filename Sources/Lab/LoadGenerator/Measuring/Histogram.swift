/// Counts of values in ranges that are at most a thousandth of their value wide, or 512: Gil Tene's HdrHistogram.
///
/// Made for latencies in nanoseconds, up to an hour: recording is a shift and an addition, and no percentile is off by
/// more than 0.1 %, below half a millisecond by more than half a microsecond. The layout is that of hdrhistogram.org
/// with three significant digits.
package struct Histogram: Equatable, Sendable {
    /// The largest value that is counted exactly; larger values count as this.
    package static let largestValue: Int64 = 3_600_000_000_000

    // 2048 sub-buckets for three digits (2 × 10³, rounded up to a power of two), the first of them 512 ns wide.
    private static let subBucketBits = 11
    private static let unitBits = 9
    private static let halfCount = 1 << (subBucketBits - 1)
    private static let bucketCount = 64 - largestValue.leadingZeroBitCount - (unitBits + subBucketBits) + 1

    package private(set) var count: Int64 = 0
    /// The largest value recorded, exactly; 0 when there is none.
    package private(set) var maximum: Int64 = 0

    private var counts: [Int64]

    package init() {
        counts = Array(repeating: 0, count: (Self.bucketCount + 1) * Self.halfCount)
    }

    /// The mean of the values, each taken as the middle of its range; 0 when there is none.
    package var mean: Double {
        guard count > 0 else { return 0 }
        var sum = 0.0
        for (index, number) in counts.enumerated() where number > 0 {
            let lowest = Self.lowestValue(at: index)
            sum += (Double(lowest) + Double(Self.width(at: index)) / 2) * Double(number)
        }
        return sum / Double(count)
    }

    /// A negative value counts as 0.
    package mutating func record(_ value: Int64, times: Int64 = 1) {
        let value = min(max(value, 0), Self.largestValue)
        maximum = max(maximum, value)
        counts[Self.index(of: value)] += times
        count += times
    }

    package mutating func add(_ other: Histogram) {
        guard other.count > 0 else { return }
        maximum = max(maximum, other.maximum)
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
    }

    /// Forgets all values, and keeps the memory.
    package mutating func reset() {
        for index in counts.indices { counts[index] = 0 }
        (count, maximum) = (0, 0)
    }

    /// The value that so many percent of the values do not exceed: the largest of its range, but never more than
    /// ``maximum``; 0 when there is none.
    package func value(atPercentile percentile: Double) -> Int64 {
        guard count > 0 else { return 0 }
        // A hair less, so that 99.9 % of 10,000 is the 9990th, and not the next one by an error of rounding.
        let share = min(max(percentile, 0), 100).nextDown
        let wanted = max(1, Int64((share * Double(count) / 100).rounded(.up)))
        var seen: Int64 = 0
        for (index, number) in counts.enumerated() where number > 0 {
            seen += number
            if seen >= wanted { return min(maximum, Self.lowestValue(at: index) + Self.width(at: index) - 1) }
        }
        return maximum
    }

    /// The histogram with the values added that a client would have seen had it not waited: corrected for coordinated
    /// omission.
    ///
    /// A client that asks every `interval` and waits for an answer does not ask meanwhile. For each value above the
    /// interval, those of the questions that were left out are added: `value - interval`, `value - 2 × interval`, …
    package func corrected(forInterval interval: Int64) -> Histogram {
        guard interval > 0 else { return self }
        var corrected = self
        for (index, number) in counts.enumerated() where number > 0 {
            var missing = Self.lowestValue(at: index) + Self.width(at: index) / 2 - interval
            while missing >= interval {
                corrected.record(missing, times: number)
                missing -= interval
            }
        }
        return corrected
    }

    private static func index(of value: Int64) -> Int {
        // Values below 2048 units are in bucket 0, one range a unit; each further bucket doubles both.
        let ceiling = 64 - (value | Int64((1 << (unitBits + subBucketBits)) - 1)).leadingZeroBitCount
        let bucket = ceiling - (unitBits + subBucketBits)
        let subBucket = Int(value >> Int64(bucket + unitBits))
        return (bucket + 1) * halfCount + (subBucket - halfCount)
    }

    private static func position(at index: Int) -> (bucket: Int, subBucket: Int) {
        let bucket = index / halfCount - 1
        return bucket < 0 ? (0, index) : (bucket, index % halfCount + halfCount)
    }

    private static func lowestValue(at index: Int) -> Int64 {
        let (bucket, subBucket) = position(at: index)
        return Int64(subBucket) << Int64(bucket + unitBits)
    }

    private static func width(at index: Int) -> Int64 { 1 << Int64(position(at: index).bucket + unitBits) }
}

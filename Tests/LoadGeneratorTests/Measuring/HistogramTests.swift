import Testing

@testable import LoadGenerator

/// Known answers from the Python package hdrhistogram 0.10.8, with `HdrHistogram(512, 3_600_000_000_000, 3)`.
@Suite("The histogram")
struct HistogramTests {
    /// The values of a linear congruential generator (Knuth's MMIX), which the other library was given too.
    private static func values(_ number: Int, seed: UInt64, upTo limit: UInt64) -> [Int64] {
        var state = seed
        return (0..<number).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 100_000 + Int64((state >> 33) % limit)
        }
    }

    @Test(
        "Percentiles are those that HdrHistogram's Python library gives",
        arguments: [
            (1, 7_192_575), (10, 71_958_527), (25, 177_209_343), (50, 360_185_855), (75, 625_475_583),
            (90, 791_150_591), (99, 888_668_159), (99.9, 898_629_631), (99.99, 900_202_495), (100, 900_202_495),
        ] as [(percentile: Double, value: Int64)]
    )
    func percentiles(percentile: Double, value: Int64) {
        var histogram = Histogram()
        for value in Self.values(10_000, seed: 12_345, upTo: 900_000_000) { histogram.record(value) }
        // The other library answers with the end of the range also where the range holds the maximum.
        #expect(histogram.value(atPercentile: percentile) == min(value, histogram.maximum))
    }

    @Test("The mean is within a thousandth, the maximum is exact")
    func moments() {
        var histogram = Histogram()
        let values = Self.values(10_000, seed: 12_345, upTo: 900_000_000)
        for value in values { histogram.record(value) }
        let mean = Double(values.reduce(0, +)) / Double(values.count)
        #expect(abs(histogram.mean - mean) < mean / 1000)
        #expect(histogram.maximum == values.max())
        #expect(histogram.count == 10_000)
    }

    @Test("No value is off by more than a thousandth, from a microsecond to an hour")
    func precision() {
        for value in Self.values(2000, seed: 7, upTo: 3_599_000_000_000) + [1000, 1_048_575, 1_048_576, 1_048_577] {
            var histogram = Histogram()
            histogram.record(value)
            histogram.record(Histogram.largestValue)
            let found = histogram.value(atPercentile: 50)
            #expect(found >= value)
            #expect(found - value <= max(512, value / 1000))
        }
    }

    /// The example of HdrHistogram's author: a service that answers in 1 ms for 100 s, and then stands still for 100 s.
    @Test("What a waiting client did not see is put back: half of the time was bad, so half of the values are")
    func coordinatedOmission() {
        var histogram = Histogram()
        histogram.record(1_000_000, times: 10_000)
        histogram.record(100_000_000_000)
        #expect(histogram.value(atPercentile: 99.99) <= 1_001_000)
        let corrected = histogram.corrected(forInterval: 10_000_000)
        // Values are known to a thousandth, and so is how many there are of them.
        #expect(abs(corrected.count - 20_000) <= 10)
        #expect(corrected.value(atPercentile: 49.9) <= 1_001_000)
        for (percentile, seconds) in [(75.0, 50.0), (90.0, 80.0), (99.0, 98.0), (100, 100)] {
            let found = Double(corrected.value(atPercentile: percentile)) / 1e9
            #expect(abs(found - seconds) < seconds / 500, "p\(percentile) is \(found) s")
        }
        #expect(histogram.corrected(forInterval: 0) == histogram)
    }

    @Test("Histograms add up to the histogram of all values, and a reset one is as new")
    func addition() {
        let values = Self.values(1000, seed: 3, upTo: 50_000_000)
        var (whole, odd, even) = (Histogram(), Histogram(), Histogram())
        for (index, value) in values.enumerated() {
            whole.record(value)
            if index.isMultiple(of: 2) { even.record(value) } else { odd.record(value) }
        }
        odd.add(even)
        #expect(odd == whole)
        odd.reset()
        #expect(odd == Histogram())
        #expect(odd.value(atPercentile: 99) == 0)
    }

    @Test("Values outside of the range count as its ends")
    func range() {
        var histogram = Histogram()
        histogram.record(-5)
        histogram.record(.max)
        #expect(histogram.value(atPercentile: 50) == 511)
        #expect(histogram.maximum == Histogram.largestValue)
        #expect(histogram.count == 2)
    }
}

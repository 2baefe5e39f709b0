import Offers
import Testing

@Suite("What an offer brought, beside those who were held out")
struct HoldoutComparisonTests {
    private func compared(_ row: [Int], percent: Int = 10) -> HoldoutComparison {
        HoldoutComparison(
            offered: HoldoutComparison.Arm(customers: row[1], buyers: row[0]),
            heldOut: HoldoutComparison.Arm(customers: row[3], buyers: row[2]),
            percent: percent
        )
    }

    @Test(
        "The interval is that of Newcombe's paper of 1998, Table II, method 10",
        arguments: [
            ([56, 70, 48, 80], [0.2, 0.0524, 0.3339]), ([9, 10, 3, 10], [0.6, 0.1705, 0.8090]),
            ([6, 7, 2, 7], [0.5714, 0.0582, 0.8062]), ([5, 56, 0, 29], [0.0893, -0.0381, 0.1926]),
            ([0, 10, 0, 20], [0, -0.1611, 0.2775]), ([0, 10, 0, 10], [0, -0.2775, 0.2775]),
            ([10, 10, 0, 20], [1, 0.6791, 1]), ([10, 10, 0, 10], [1, 0.6075, 1]),
        ]
    )
    func interval(_ row: [Int], _ shares: [Double]) throws {
        let difference = try #require(compared(row).difference)
        for (found, share) in zip([difference.points, difference.lower, difference.upper], shares) {
            #expect(abs(found / 100 - share) < 0.000_05, "\(difference)")
        }
    }

    @Test("Without customers in both arms there is no difference")
    func none() {
        #expect(compared([0, 0, 3, 10]).difference == nil)
        #expect(compared([3, 10, 0, 0]).difference == nil)
        #expect(compared([0, 0, 0, 0]).chiSquared == nil)
        #expect(!compared([0, 0, 0, 0]).isLopsided)
    }

    /// By `scipy.stats.chisquare`: 131 of 1,000 has p = 0.00108, and 132 has 0.00074.
    @Test(
        "Arms that do not fit the percentage are noticed where fewer than one in a thousand would be so",
        arguments: [
            (100, 900, 10, 0, false), (130, 870, 10, 10, false), (131, 869, 10, 10.677777777777777, false),
            (132, 868, 10, 11.377777777777778, true), (60, 40, 50, 4, false), (1, 99, 5, 3.368421052631579, false),
            (10, 90, 90, 711.1111111111111, true),
        ]
    )
    func sizes(_ heldOut: Int, _ offered: Int, _ percent: Int, _ statistic: Double, _ isLopsided: Bool) throws {
        let comparison = compared([0, offered, 0, heldOut], percent: percent)
        #expect(abs(try #require(comparison.chiSquared) - statistic) < 1e-9)
        #expect(comparison.isLopsided == isLopsided)
    }

    @Test("Of a thousand experiments, the interval holds the truth in 93 to 97 of 100", arguments: [0.2, 0.15])
    func coverage(_ share: Double) {
        let base = 0.15
        let held = (0..<1000).count { seed in
            var generator = SeededGenerator(seed: UInt64(seed))
            func buyers(_ customers: Int, _ share: Double) -> Int {
                (0..<customers).count { _ in Double(generator.next()) / 0x1p64 < share }
            }
            let offered = buyers(900, share)
            let difference = compared([offered, 900, buyers(100, base), 100]).difference
            return difference.map { ($0.lower...$0.upper).contains(100 * (share - base)) } ?? false
        }
        #expect((930...970).contains(held), "\(held)")
    }
}

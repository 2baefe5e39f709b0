/// The customers of a holdout: those who could have the offer beside those who were held out, with the arithmetic of
/// their difference.
package struct HoldoutComparison: Equatable, Sendable {
    package struct Arm: Equatable, Sendable {
        package var customers: Int
        /// Those who have bought since.
        package var buyers: Int
        /// Those who got a retention offer from Apple itself since, however they were drawn.
        package var givenByApple: Int

        package init(customers: Int = 0, buyers: Int = 0, givenByApple: Int = 0) {
            self.customers = customers
            self.buyers = buyers
            self.givenByApple = givenByApple
        }

        /// The share of buyers, from 0 to 1; `nil` without customers.
        package var share: Double? { customers > 0 ? Double(buyers) / Double(customers) : nil }
    }

    /// A difference of shares in percentage points, with its 95 % interval.
    package struct Difference: Equatable, Sendable {
        package let points: Double
        package let lower: Double
        package let upper: Double
    }

    package let offered: Arm
    package let heldOut: Arm
    /// The share that the catalog holds out; `nil` where it says none, or several.
    package let percent: Int?

    package init(offered: Arm, heldOut: Arm, percent: Int?) {
        self.offered = offered
        self.heldOut = heldOut
        self.percent = percent
    }

    /// The lead of those with the offer among buyers: Newcombe's hybrid score interval (Statistics in Medicine 17,
    /// 873–890, 1998, method 10); `nil` where an arm has no customers.
    package var difference: Difference? {
        guard let first = offered.share, let second = heldOut.share, let one = offered.interval,
            let other = heldOut.interval
        else { return nil }
        func distance(_ left: Double, _ right: Double) -> Double { (left * left + right * right).squareRoot() }
        let points = first - second
        return Difference(
            points: 100 * points,
            lower: 100 * (points - distance(first - one.lower, other.upper - second)),
            upper: 100 * (points + distance(one.upper - first, second - other.lower))
        )
    }

    /// Pearson's chi-squared of the arms' sizes against the percentage, with one degree of freedom; `nil` without
    /// customers or percentage.
    package var chiSquared: Double? {
        let all = Double(offered.customers) + Double(heldOut.customers)
        guard all > 0, let percent else { return nil }
        let expected = all * Double(percent) / 100
        let distance = Double(heldOut.customers) - expected
        return distance * distance / expected + distance * distance / (all - expected)
    }

    /// Whether sizes so far from the percentage are no accident (p < 0.001).
    package var isLopsided: Bool { chiSquared.map { $0 > Self.criticalChiSquared } ?? false }

    /// The value that one in a thousand exceeds, with one degree of freedom.
    private static let criticalChiSquared = 10.827566170662733
}

extension HoldoutComparison.Arm {
    /// Two standard deviations, nearly: 95 % of a normal distribution are within.
    private static let z = 1.959963984540054

    /// Wilson's score interval of the share, 95 %.
    fileprivate var interval: (lower: Double, upper: Double)? {
        guard let share else { return nil }
        let (count, square) = (Double(customers), Self.z * Self.z)
        let middle = 2 * count * share + square
        let reach = Self.z * (square + 4 * count * share * (1 - share)).squareRoot()
        let width = 2 * (count + square)
        return (max(0, (middle - reach) / width), min(1, (middle + reach) / width))
    }
}

/// A holdout's name, in an app.
package struct HoldoutName: Hashable, Sendable {
    package let bundleId: String
    package let name: String

    package init(bundleId: String, name: String) {
        self.bundleId = bundleId
        self.name = name
    }
}

/// The customers of a holdout, as kept.
package struct HoldoutArms: Equatable, Sendable {
    package var offered = HoldoutComparison.Arm()
    package var heldOut = HoldoutComparison.Arm()

    package init() {}
}

extension Chapter {
    /// Whether a period that is paid for was bought after a moment, and not refunded, as far as is held.
    ///
    /// A period that Apple charged ahead was bought when it was shown first, at the latest.
    package func isPaid(after moment: Timestamp) -> Bool {
        transactions.contains { said in
            guard said.content.isOwnPurchase, said.content.isFree != true, said.content.revocationDate == nil,
                said.content.revocation == nil, let begin = said.content.purchaseDate
            else { return false }
            return min(begin, said.shownSince ?? begin) > moment
        }
    }
}

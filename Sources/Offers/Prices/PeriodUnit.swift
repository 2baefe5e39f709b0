/// The unit that an offer's time is counted in (`SKProduct.PeriodUnit`); the raw values are StoreKit's.
public enum PeriodUnit: Int, CaseIterable, Sendable {
    /// Days.
    case day = 0
    /// Weeks of seven days.
    case week = 1
    /// Calendar months.
    case month = 2
    /// Years of twelve months.
    case year = 3

    /// A period of that many units.
    ///
    /// - Parameter count: How many, at least 1.
    /// - Returns: The period.
    public func period(_ count: Int) -> SubscriptionPeriod {
        switch self {
        case .day: .days(count)
        case .week: .days(7 * count)
        case .month: .months(count)
        case .year: .months(12 * count)
        }
    }
}

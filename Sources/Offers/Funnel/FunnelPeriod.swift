/// The days of a funnel: whole days in UTC, as decisions are counted by day.
public struct FunnelPeriod: Equatable, Sendable {
    /// The start of the first day; `nil` for the beginning of all records.
    public let start: Timestamp?
    /// The end of the last day; `nil` for now and later.
    public let end: Timestamp?

    /// How many milliseconds a day has.
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Takes every day that has a moment of a period.
    ///
    /// - Parameters:
    ///   - since: The first moment; `nil` for the beginning of all records.
    ///   - until: The moment before which it ends; `nil` for no end.
    public init(since: Timestamp?, until: Timestamp?) {
        start = since.map { Self.timestamp(day: Self.day(of: $0)) }
        end = until.map { until in
            let day = Self.day(of: until)
            return Self.timestamp(day: Self.timestamp(day: day) == until ? day : day + 1)
        }
    }

    /// The day of a moment, counted from 1970-01-01 on.
    ///
    /// - Parameter moment: The moment.
    /// - Returns: The day's number.
    public static func day(of moment: Timestamp) -> Int64 {
        let (days, rest) = moment.millisecondsSince1970.quotientAndRemainder(dividingBy: dayMilliseconds)
        return rest < 0 ? days - 1 : days
    }

    private static func timestamp(day: Int64) -> Timestamp {
        let (milliseconds, overflow) = day.multipliedReportingOverflow(by: dayMilliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (day < 0 ? .min : .max) : milliseconds)
    }
}

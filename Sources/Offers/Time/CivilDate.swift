/// A day of the proleptic Gregorian calendar, the one of RFC 3339, of HTTP and of the App Store's dates in UTC.
///
/// It is counted in eras of 400 years, and in years that begin in March: a leap day is then the last of its year.
public struct CivilDate: Hashable, Sendable {
    /// The year; 0 is 1 BC.
    public let year: Int64
    /// The month, 1 to 12.
    public let month: Int64
    /// The day of the month, from 1.
    public let day: Int64

    private static let daysOfEra: Int64 = 146_097
    /// The days from 0000-03-01 to 1970-01-01.
    private static let daysBefore1970: Int64 = 719_468

    /// Takes a day as it is written.
    ///
    /// - Parameters:
    ///   - year: The year, -1,000,000 to 1,000,000.
    ///   - month: The month, from 1.
    ///   - day: The day of the month, from 1. A day that the calendar does not have gives `nil`.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (-1_000_000...1_000_000).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, of: year)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day that many days after 1970-01-01.
    ///
    /// - Parameter daysSince1970: Days; negative before 1970. At most 100,000,000 either way, as `Timestamp` cannot name
    ///   others.
    public init(daysSince1970: Int64) {
        let days = daysSince1970 + Self.daysBefore1970
        let era = (days >= 0 ? days : days - (Self.daysOfEra - 1)) / Self.daysOfEra
        let dayOfEra = days - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days since 1970-01-01; negative before.
    public var daysSince1970: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.daysBefore1970
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

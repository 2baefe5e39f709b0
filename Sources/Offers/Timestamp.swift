/// A moment in milliseconds since 1970-01-01T00:00:00Z, the unit of StoreKit's and the App Store's wire formats.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Leap seconds are not counted.
    package let millisecondsSince1970: Int64

    package init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// That much later, or earlier when negative; held at the ends of the range.
    package func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (milliseconds > 0 ? .max : .min) : sum)
    }

    package func adding(seconds: Int64) -> Timestamp {
        let (milliseconds, tooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        guard !tooLarge, !overflow else {
            return Timestamp(millisecondsSince1970: seconds > 0 ? .max : .min)
        }
        return Timestamp(millisecondsSince1970: sum)
    }

    /// In days of 24 hours.
    package func adding(days: Int) -> Timestamp {
        let (seconds, isTooLarge) = Int64(days).multipliedReportingOverflow(by: 86_400)
        return adding(seconds: isTooLarge ? (days > 0 ? .max : .min) : seconds)
    }
}

extension Timestamp {
    /// In UTC with whole seconds, such as `2026-11-22T02:00:00Z`.
    ///
    /// Years outside 0...9999, which RFC 3339 cannot write, are held at its ends.
    package var rfc3339: String {
        let (days, seconds) = daysAndSeconds
        return String(unsafeUninitializedCapacity: 20) { buffer in
            Self.write(date: days, to: buffer)
            buffer[10] = UInt8(ascii: "T")
            Self.write(seconds / 3600, to: buffer, at: 11)
            buffer[13] = UInt8(ascii: ":")
            Self.write(seconds / 60 % 60, to: buffer, at: 14)
            buffer[16] = UInt8(ascii: ":")
            Self.write(seconds % 60, to: buffer, at: 17)
            buffer[19] = UInt8(ascii: "Z")
            return 20
        }
    }

    /// The day in UTC, such as `2026-10-02`: how a moment is written in sentences for people.
    package var day: String {
        let days = daysAndSeconds.days
        return String(unsafeUninitializedCapacity: 10) { buffer in
            Self.write(date: days, to: buffer)
            return 10
        }
    }

    private var daysAndSeconds: (days: Int64, seconds: Int64) {
        let first: Int64 = -62_167_219_200  // 0000-01-01T00:00:00Z
        let last: Int64 = 253_402_300_799  // 9999-12-31T23:59:59Z
        let (quotient, remainder) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        let whole = remainder < 0 ? quotient - 1 : quotient
        let seconds = min(max(whole, first), last)
        let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        return (days, seconds - days * 86400)
    }

    private static func write(date daysSince1970: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let date = CivilDate(daysSince1970: daysSince1970)
        write(date.year / 100, to: buffer, at: 0)
        write(date.year % 100, to: buffer, at: 2)
        buffer[4] = UInt8(ascii: "-")
        write(date.month, to: buffer, at: 5)
        buffer[7] = UInt8(ascii: "-")
        write(date.day, to: buffer, at: 8)
    }

    /// As two digits, below 100.
    private static func write(_ number: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        buffer[position + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
}

extension Timestamp {
    /// Reads an RFC 3339 `date-time` (§5.6), such as `2026-01-01T00:00:00Z` or `2026-01-01T00:00:00.5+02:00`.
    ///
    /// Parts of a millisecond are dropped. A leap second is the first moment of the next minute.
    package init?(writtenInRFC3339 text: String) {
        guard let milliseconds = Self.milliseconds(of: text) else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }

    private static func milliseconds(of text: String) -> Int64? {
        let form =
            /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))/.asciiOnlyDigits()
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        func number(_ digits: Substring?) -> Int64 { digits.flatMap { Int64($0) } ?? 0 }
        let (hour, minute, second) = (number(parts.4), number(parts.5), number(parts.6))
        let (offsetHour, offsetMinute) = (number(parts.9), number(parts.10))
        guard let date = CivilDate(year: number(parts.1), month: number(parts.2), day: number(parts.3)),
            hour <= 23, minute <= 59, second <= 60, offsetHour <= 23, offsetMinute <= 59
        else { return nil }
        let offset = (parts.8 == "-" ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60)
        let fraction = number(
            (parts.7 ?? "").prefix(3) + String(repeating: "0", count: max(0, 3 - (parts.7?.count ?? 0)))
        )
        return (date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1000 + fraction
    }
}

/// A day of the proleptic Gregorian calendar, the one of RFC 3339, of HTTP and of the App Store's dates in UTC.
///
/// It is counted in eras of 400 years, and in years that begin in March: a leap day is then the last of its year.
package struct CivilDate: Hashable, Sendable {
    /// 0 is 1 BC.
    package let year: Int64
    /// From 1 to 12.
    package let month: Int64
    /// From 1.
    package let day: Int64

    private static let daysOfEra: Int64 = 146_097
    /// The days from 0000-03-01 to 1970-01-01.
    private static let daysBefore1970: Int64 = 719_468

    /// Takes a year from -1,000,000 to 1,000,000; a day that the calendar does not have gives `nil`.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (-1_000_000...1_000_000).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, of: year)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Takes at most 100,000,000 days either way, as `Timestamp` cannot name others.
    package init(daysSince1970: Int64) {
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

    package var daysSince1970: Int64 {
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

/// A date by Apple's clock.
///
/// Only Apple's signature or an answer that the service fetched itself proves one. With a date that a client sends,
/// anybody could make the service believe that its own clock is wrong.
package enum AppleDate: Equatable, Sendable {
    /// A date in data whose signature by Apple was verified, such as a JWS's `signedDate`.
    ///
    /// The data may be old: Apple's clock shows this much by now, or more.
    case signed(Timestamp)
    /// A date in an answer that the service itself has fetched from Apple this moment, to settle a doubt where it says so.
    case fetched(Timestamp, about: Int? = nil)
}

/// The port between evidence and the watch over the service's own clock.
package protocol AppleClock: Sendable {
    /// The number of the doubt that another answer of Apple's has to settle, asked for from now on; `nil` for none.
    var doubt: Int? { get }

    func observe(_ date: AppleDate)
}

/// How far this service's clock and Apple's may be apart, and still show the same time.
///
/// Time servers correct less than this without a step.
package enum ClockSkew {
    package static let toleratedSeconds: Int64 = 300
}

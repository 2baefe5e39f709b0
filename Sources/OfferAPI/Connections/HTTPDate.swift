import Glibc

/// The time as HTTP writes it (RFC 9110 §5.6.7): for the answers of one event loop, as within a second it is the same.
final class HTTPDate {
    private let clock: () -> Int
    private var second = -1
    private var text = ""

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Begins without a time.
    ///
    /// - Parameter clock: The seconds since 1970.
    init(clock: @escaping () -> Int = { time(nil) }) {
        self.clock = clock
    }

    /// The time of now.
    ///
    /// - Returns: The time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    func now() -> String {
        let second = max(clock(), 0)
        if self.second != second { (self.second, text) = (second, Self.text(secondsSince1970: second)) }
        return text
    }

    /// A time.
    ///
    /// - Parameter secondsSince1970: The time, not before 1970.
    /// - Returns: The time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(secondsSince1970: Int) -> String {
        let days = secondsSince1970 / 86400
        let second = secondsSince1970 % 86400
        // Years begin in March here, so that a leap day is their last: 1970-01-01 is day 719,468 of that calendar.
        let shifted = days + 719_468
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 2 : shiftedMonth - 10
        let year = yearOfEra + shifted / 146_097 * 400 + (month < 2 ? 1 : 0)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(Self.days[(days + 4) % 7]), \(twoDigits(day)) \(months[month]) \(year) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

@available(*, unavailable)
extension HTTPDate: Sendable {}

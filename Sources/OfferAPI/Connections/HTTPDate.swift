import Glibc
import Offers

/// The time as HTTP writes it (RFC 9110 §5.6.7), for the answers of one event loop: it is written once a second.
final class HTTPDate {
    private let clock: () -> Int
    private var second = -1
    private var text = ""

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    init(clock: @escaping () -> Int = { time(nil) }) {
        self.clock = clock
    }

    func now() -> String {
        let second = max(clock(), 0)
        if self.second != second { (self.second, text) = (second, Self.text(secondsSince1970: second)) }
        return text
    }

    static func text(secondsSince1970: Int) -> String {
        let (days, second) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: Int64(days))
        let (weekday, month) = (weekdays[(days + 4) % 7], months[Int(date.month) - 1])
        let clock = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(weekday), \(twoDigits(Int(date.day))) \(month) \(date.year) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

@available(*, unavailable)
extension HTTPDate: Sendable {}

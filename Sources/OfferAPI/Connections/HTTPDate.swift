import Glibc

/// The time as HTTP writes it (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time of now.
    ///
    /// - Returns: The time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func now() -> String { text(secondsSince1970: time(nil)) }

    /// A time.
    ///
    /// - Parameter secondsSince1970: The time.
    /// - Returns: The time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(secondsSince1970: time_t) -> String {
        var seconds = secondsSince1970
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = days[Int(parts.tm_wday) % 7]
        let month = months[Int(parts.tm_mon) % 12]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(day), \(twoDigits(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

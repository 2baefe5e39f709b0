import Foundation
import Offers

extension Timestamp {
    /// Seconds of a day.
    static let day: Int64 = 86400

    /// The moment of a date, to the millisecond.
    ///
    /// - Parameter date: The date.
    init(_ date: Date) {
        self.init(millisecondsSince1970: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// Reads an RFC 3339 moment.
    ///
    /// - Parameter text: Such as `2026-01-20T10:00:00Z`; anything else gives `nil`.
    init?(rfc3339 text: String) {
        guard let date = try? Date.ISO8601FormatStyle().parse(text) else { return nil }
        self.init(date)
    }

    /// The moment as a date.
    var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

    /// The moment that is this share of the way to another.
    ///
    /// - Parameters:
    ///   - other: The other moment.
    ///   - percent: How far, in hundredths.
    /// - Returns: The moment between.
    func towards(_ other: Timestamp, percent: Int64) -> Timestamp {
        let distance = other.millisecondsSince1970 - millisecondsSince1970
        return Timestamp(millisecondsSince1970: millisecondsSince1970 + distance / 100 * percent)
    }
}

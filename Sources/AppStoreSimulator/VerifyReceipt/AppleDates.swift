import Foundation
import Offers
import StrictJSON

/// The three ways in which verifyReceipt writes each date.
enum AppleDates {
    private static let losAngeles = TimeZone(identifier: "America/Los_Angeles")

    /// Writes a date as text in GMT, in milliseconds and as text in Pacific time.
    ///
    /// - Parameters:
    ///   - name: The member's name, without `_ms` and `_pst`.
    ///   - moment: The date; `nil` writes nothing.
    ///   - json: Where it is written.
    static func write(_ name: String, _ moment: Timestamp?, into json: inout JSONWriter) {
        guard let moment else { return }
        json.member(named: name)
        json.string(text(moment) + " Etc/GMT")
        json.member(named: name + "_ms")
        json.string(String(moment.millisecondsSince1970))
        // Without time zone data on the machine, Pacific Standard Time all year round.
        let offset = losAngeles?.secondsFromGMT(for: moment.date) ?? -8 * 3600
        json.member(named: name + "_pst")
        json.string(text(moment.adding(seconds: Int64(offset))) + " America/Los_Angeles")
    }

    /// Such as `2026-01-20 10:00:00 Etc/GMT`.
    ///
    /// - Parameter moment: The moment.
    /// - Returns: The text.
    static func inGMT(_ moment: Timestamp) -> String { text(moment) + " Etc/GMT" }

    private static func text(_ moment: Timestamp) -> String {
        String(moment.rfc3339.dropLast()).replacing("T", with: " ")
    }
}

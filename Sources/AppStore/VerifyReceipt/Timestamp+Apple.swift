import Offers

extension Timestamp {
    /// Reads the text of a date as verifyReceipt writes it: `2020-07-14 19:41:40 Etc/GMT`.
    ///
    /// - Parameter text: The text. Another form, or another time zone, gives `nil`.
    init?(appleText text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "Etc/GMT" else { return nil }
        let date = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
        let time = parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
        guard date.count == 3, time.count == 3, (1970...9999).contains(date[0]), (1...12).contains(date[1]),
            (1...31).contains(date[2]), (0...23).contains(time[0]), (0...59).contains(time[1]),
            (0...60).contains(time[2])
        else { return nil }
        // Days since 1970 by the proleptic Gregorian calendar, counted in years that begin in March.
        let year = date[1] <= 2 ? date[0] - 1 : date[0]
        let monthFromMarch = (date[1] + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + date[2] - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        let seconds = days * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
        self.init(millisecondsSince1970: seconds * 1000)
    }
}

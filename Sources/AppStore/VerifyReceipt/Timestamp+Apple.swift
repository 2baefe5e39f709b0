import Offers

extension Timestamp {
    /// Reads the text of a date as verifyReceipt writes it: `2020-07-14 19:41:40 Etc/GMT`.
    ///
    /// - Parameter text: The text. Another form, or another time zone, gives `nil`.
    init?(appleText text: Span<UInt8>) {
        guard text.count == Self.pattern.count else { return nil }
        var numbers = InlineArray<6, Int64>(repeating: 0)
        var field = 0
        for (index, expected) in Self.pattern.enumerated() {
            let byte = text[index]
            if expected == UInt8(ascii: "0") {
                guard let digit = byte.decimalDigit else { return nil }
                numbers[field] = numbers[field] * 10 + digit
            } else {
                guard byte == expected else { return nil }
                if field < 5 { field += 1 }
            }
        }
        let date = (numbers[0], numbers[1], numbers[2])
        let time = (numbers[3], numbers[4], numbers[5])
        guard date.0 >= 1970, (1...12).contains(date.1), (1...31).contains(date.2), time.0 <= 23, time.1 <= 59,
            time.2 <= 60
        else { return nil }
        // Days since 1970 by the proleptic Gregorian calendar, counted in years that begin in March.
        let year = date.1 <= 2 ? date.0 - 1 : date.0
        let monthFromMarch = (date.1 + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + date.2 - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        let seconds = days * 86400 + time.0 * 3600 + time.1 * 60 + time.2
        self.init(millisecondsSince1970: seconds * 1000)
    }

    /// How the text is written; a zero stands for any digit.
    private static let pattern = Array("0000-00-00 00:00:00 Etc/GMT".utf8)
}

extension Int64 {
    /// Reads a whole number's digits, with a sign before them or not.
    ///
    /// - Parameter text: The digits in ASCII. Anything else, and what does not fit 64 bits, gives `nil`.
    init?(decimalDigits text: Span<UInt8>) {
        guard !text.isEmpty else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0
        guard start < text.count else { return nil }
        var number: Int64 = 0
        for index in start..<text.count {
            guard let digit = text[index].decimalDigit else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(isNegative ? -digit : digit)
            guard !isTooLarge, !overflow else { return nil }
            number = sum
        }
        self = number
    }
}

extension UInt8 {
    /// The value of a digit in ASCII; `nil` for any other byte.
    fileprivate var decimalDigit: Int64? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? Int64(value) : nil
    }
}

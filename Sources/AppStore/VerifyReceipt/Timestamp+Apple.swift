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
        let time = (hour: numbers[3], minute: numbers[4], second: numbers[5])
        guard let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]), date.year >= 1970,
            time.hour <= 23, time.minute <= 59, time.second <= 60
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + time.hour * 3600 + time.minute * 60 + time.second
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

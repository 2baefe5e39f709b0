import Offers
import StrictJSON

/// A date that Apple writes twice: as milliseconds, which count, and as text.
///
/// Old answers have the text alone, and in it milliseconds or a date.
struct AppleDateFields {
    /// The date from the member that ends in `_ms`.
    var milliseconds: Timestamp?
    /// The date from the member without `_ms`.
    private var text: Timestamp?
    private var isTextUnreadable = false

    /// Reads the member that does not end in `_ms`; that it cannot be read matters only where it has to count.
    mutating func readText(from reader: inout JSONReader) throws(JSONFault) {
        (text, isTextUnreadable) = (nil, false)
        switch try reader.nextType() {
        case .object, .array:
            try reader.skipValue()
            isTextUnreadable = true
        case .string, .number, .boolean, .null:
            try reader.readPlain { (type, content) throws(JSONFault) in
                guard type != .null, !content.isEmpty else { return }
                text = Timestamp(apple: content)
                isTextUnreadable = text == nil
            }
        }
    }

    /// The date; `name` is the member without `_ms`, for its fault.
    func value(named name: @autoclosure () -> String) throws(JSONFault) -> Timestamp? {
        if let milliseconds { return milliseconds }
        guard !isTextUnreadable else { throw JSONFault.noAppleDate.inside(member: name()) }
        return text
    }
}

extension Timestamp {
    /// Reads the text of a date as verifyReceipt writes it: `2020-07-14 19:41:40 Etc/GMT`.
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

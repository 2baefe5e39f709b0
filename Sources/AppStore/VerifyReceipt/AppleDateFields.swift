import Offers
import StrictJSON

/// A date that Apple writes twice: as milliseconds, which count, and as text.
///
/// Old answers have the text alone, and in it milliseconds or a date.
struct AppleDateFields {
    /// From the member that ends in `_ms`.
    var milliseconds: Timestamp?
    /// From the member that does not.
    private var text: Timestamp?
    private var isTextUnreadable = false

    /// Reads the member that does not end in `_ms`; that it cannot be read matters only where it has to count.
    ///
    /// - Parameter reader: The reader, at the member's value.
    /// - Throws: `JSONFault` when the value is no JSON.
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

    /// The date.
    ///
    /// - Parameter name: The name of the member that does not end in `_ms`.
    /// - Returns: The date; `nil` where there is none.
    /// - Throws: `JSONFault` where that member has to count, and cannot be read.
    func value(named name: @autoclosure () -> String) throws(JSONFault) -> Timestamp? {
        if let milliseconds { return milliseconds }
        guard !isTextUnreadable else { throw JSONFault.noAppleDate.inside(member: name()) }
        return text
    }
}

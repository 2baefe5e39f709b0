import Offers

/// A moment as commands take it: RFC 3339, a day that stands for its start in UTC, or milliseconds since 1970 as the
/// records and answers have them.
enum MomentArgument {
    /// The fewest digits of milliseconds, those of 1973: fewer are seconds by mistake.
    private static let fewestDigits = 12

    /// Reads one.
    ///
    /// - Parameter text: The argument.
    /// - Returns: The moment.
    /// - Throws: ``ValueFault`` when it is none.
    static func moment(_ text: String) throws(ValueFault) -> Timestamp {
        if text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int64(text) {
            // The last one is that of the year 9999, as RFC 3339 has it.
            guard (fewestDigits...15).contains(text.utf8.count) else {
                throw ValueFault("takes milliseconds since 1970 where it is a number")
            }
            return Timestamp(millisecondsSince1970: number)
        }
        let isDay = text.utf8.count == 10
        return try Timestamp(parsingRFC3339: isDay ? text + "T00:00:00Z" : text)
    }
}

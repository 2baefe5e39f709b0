import Offers

/// A moment as commands take it: RFC 3339, a day that stands for its start in UTC, or milliseconds since 1970 as the
/// records and answers have them.
enum MomentArgument {
    /// How many digits milliseconds have, from 1973 on, as fewer are seconds by mistake, to the year 9999, the last one
    /// that RFC 3339 has; 0 is the beginning.
    private static let digits = 12...15

    static func moment(_ text: String) throws(ValueFault) -> Timestamp {
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            guard let number = Int64(text), number == 0 || digits.contains(text.utf8.count) else {
                throw ValueFault(
                    "takes milliseconds since 1970 where it is a number: 0, or one of \(digits.lowerBound) to "
                        + "\(digits.upperBound) digits, as in 1769817600000"
                )
            }
            return Timestamp(millisecondsSince1970: number)
        }
        let isDay = text.utf8.count == 10
        return try Timestamp(parsingRFC3339: isDay ? text + "T00:00:00Z" : text)
    }
}

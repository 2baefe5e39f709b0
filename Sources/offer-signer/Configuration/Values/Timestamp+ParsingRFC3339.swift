import Offers

extension Timestamp {
    /// Reads an RFC 3339 `date-time` (§5.6), such as `2026-01-01T00:00:00Z` or `2026-01-01T00:00:00.5+02:00`.
    ///
    /// Parts of a millisecond are dropped. A leap second is the first moment of the next minute.
    init(parsingRFC3339 text: String) throws(ValueFault) {
        guard let milliseconds = Self.milliseconds(of: text) else {
            throw ValueFault("is not an RFC 3339 time; write one such as 2026-01-01T00:00:00Z")
        }
        self.init(millisecondsSince1970: milliseconds)
    }

    private static func milliseconds(of text: String) -> Int64? {
        let form =
            /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))/.asciiOnlyDigits()
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        func number(_ digits: Substring?) -> Int64 { digits.flatMap { Int64($0) } ?? 0 }
        let (hour, minute, second) = (number(parts.4), number(parts.5), number(parts.6))
        let (offsetHour, offsetMinute) = (number(parts.9), number(parts.10))
        guard let date = CivilDate(year: number(parts.1), month: number(parts.2), day: number(parts.3)),
            hour <= 23, minute <= 59, second <= 60, offsetHour <= 23, offsetMinute <= 59
        else { return nil }
        let offset = (parts.8 == "-" ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60)
        let fraction = number(
            (parts.7 ?? "").prefix(3) + String(repeating: "0", count: max(0, 3 - (parts.7?.count ?? 0)))
        )
        return (date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1000 + fraction
    }
}

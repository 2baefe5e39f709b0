import Offers

extension Timestamp {
    /// Reads an RFC 3339 `date-time` (§5.6), such as `2026-01-01T00:00:00Z` or `2026-01-01T00:00:00.5+02:00`.
    ///
    /// Parts of a millisecond are dropped. A leap second is the first moment of the next minute.
    init(parsingRFC3339 text: String) throws(ValueFault) {
        var scan = DateTimeScan(text)
        guard let milliseconds = scan.dateTime() else {
            throw ValueFault("is not an RFC 3339 time; write one such as 2026-01-01T00:00:00Z")
        }
        self.init(millisecondsSince1970: milliseconds)
    }
}

private struct DateTimeScan {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    mutating func dateTime() -> Int64? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
            let date = CivilDate(year: year, month: month, day: day), skip("T") || skip("t"),
            let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
            hour <= 23, minute <= 59, second <= 60,
            let fraction = fraction(), let offset = offset(), rest.isEmpty
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        return seconds * 1000 + fraction
    }

    private mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix { Self.isDigit($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let padded = Array(digits.prefix(3)) + Array(repeating: UInt8(ascii: "0"), count: max(0, 3 - digits.count))
        return padded.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Seconds ahead of UTC.
    private mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hour = number(2), skip(":"), let minute = number(2), hour <= 23, minute <= 59
        else { return nil }
        return (isAhead ? 1 : -1) * (hour * 3600 + minute * 60)
    }

    private mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ Self.isDigit($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

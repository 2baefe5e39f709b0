extension Timestamp {
    /// The moment as RFC 3339 text in UTC with whole seconds, such as `2026-11-22T02:00:00Z`.
    ///
    /// Years outside 0...9999, which RFC 3339 cannot write, are held at its ends.
    public var rfc3339: String {
        let (days, seconds) = daysAndSeconds
        return String(unsafeUninitializedCapacity: 20) { buffer in
            Self.write(date: days, to: buffer)
            buffer[10] = UInt8(ascii: "T")
            Self.write(seconds / 3600, to: buffer, at: 11)
            buffer[13] = UInt8(ascii: ":")
            Self.write(seconds / 60 % 60, to: buffer, at: 14)
            buffer[16] = UInt8(ascii: ":")
            Self.write(seconds % 60, to: buffer, at: 17)
            buffer[19] = UInt8(ascii: "Z")
            return 20
        }
    }

    /// The day in UTC, such as `2026-10-02`: how a moment is written in sentences for people.
    public var day: String {
        let days = daysAndSeconds.days
        return String(unsafeUninitializedCapacity: 10) { buffer in
            Self.write(date: days, to: buffer)
            return 10
        }
    }

    private var daysAndSeconds: (days: Int64, seconds: Int64) {
        let first: Int64 = -62_167_219_200  // 0000-01-01T00:00:00Z
        let last: Int64 = 253_402_300_799  // 9999-12-31T23:59:59Z
        let (quotient, remainder) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        let whole = remainder < 0 ? quotient - 1 : quotient
        let seconds = min(max(whole, first), last)
        let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        return (days, seconds - days * 86400)
    }

    private static func write(date daysSince1970: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let date = CivilDate(daysSince1970: daysSince1970)
        write(date.year / 100, to: buffer, at: 0)
        write(date.year % 100, to: buffer, at: 2)
        buffer[4] = UInt8(ascii: "-")
        write(date.month, to: buffer, at: 5)
        buffer[7] = UInt8(ascii: "-")
        write(date.day, to: buffer, at: 8)
    }

    /// Writes a number below 100 as two digits.
    private static func write(_ number: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        buffer[position + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
}

/// Bytes in hexadecimal (RFC 4648 §8), as digests and public keys are shown.
public enum Hexadecimal {
    /// Writes bytes in digits of lower case.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: Two digits a byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    /// Reads bytes from digits of either case.
    ///
    /// - Parameter text: Two digits a byte.
    /// - Returns: The bytes; `nil` when a digit is missing or is none.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Whether the byte is a digit in ASCII.
    ///
    /// - Parameter byte: The byte.
    /// - Returns: `true` for 0-9, a-f, A-F.
    public static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

    /// The digit of lower case for a value below 16.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

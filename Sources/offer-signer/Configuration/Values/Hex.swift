/// Bytes in hexadecimal.
enum Hex {
    /// Reads bytes from hexadecimal digits of either case.
    ///
    /// - Parameter text: Two digits a byte.
    /// - Returns: The bytes; `nil` when a digit is missing or is none.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Writes bytes in hexadecimal digits of lower case.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: Two digits a byte.
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads the SHA-256 of a client's token.
    ///
    /// - Parameter text: 64 hexadecimal digits.
    /// - Returns: 32 bytes.
    /// - Throws: ``ValueFault`` when they are not. It does not repeat the text, which may be the token itself.
    static func parseTokenSHA256(_ text: String) throws(ValueFault) -> [UInt8] {
        guard let bytes = bytes(text), bytes.count == 32 else {
            throw ValueFault(
                "is not the SHA-256 of a token, 64 hexadecimal digits, but \(text.count) characters; "
                    + "`offer-signer clients token` makes a token and prints its tokenSHA256"
            )
        }
        return bytes
    }

    /// Whether the byte is an ASCII hexadecimal digit.
    ///
    /// - Parameter byte: The byte.
    /// - Returns: `true` for 0-9, a-f, A-F.
    static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

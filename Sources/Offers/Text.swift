extension [String] {
    /// As a sentence lists them: `a, b and c`.
    var enumeration: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}

/// The control characters of ASCII, U+0000 to U+001F and U+007F, which no identifier has.
///
/// Databases end a text at U+0000 or refuse it: an identifier that held one could not be read back as it was kept.
package enum ControlCharacter {
    package static func isFound(in text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return true }
        return false
    }
}

/// U+2063 INVISIBLE SEPARATOR, which joins the fields of the signed payload.
///
/// A field that held it could pass for two fields, so nothing that holds it is ever signed.
package enum InvisibleSeparator {
    package static let utf8: [UInt8] = [0xE2, 0x81, 0xA3]

    package static func isFound(in text: String) -> Bool {
        let bytes = text.utf8.span
        guard bytes.count >= 3 else { return false }
        for index in 0..<(bytes.count - 2)
        where bytes[index] == 0xE2 && bytes[index + 1] == 0x81 && bytes[index + 2] == 0xA3 {
            return true
        }
        return false
    }
}

/// Bytes in hexadecimal (RFC 4648 §8), as digests and public keys are shown.
package enum Hexadecimal {
    /// In lower case.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        // An array: the loop is compiled for it, where it would look up the sequence's type for each digit.
        for byte in Array(bytes) {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Reads two digits a byte, of either case; `nil` when a digit is missing or is none.
    package static func bytes(_ text: String) -> [UInt8]? {
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

    /// Whether the byte is 0-9, a-f or A-F in ASCII.
    package static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

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

extension String {
    /// Whether both have the same bytes in UTF-8, as the App Store compares identifiers.
    ///
    /// Swift's `==` goes by canonical equivalence: U+212A KELVIN SIGN equals the letter K. An identifier that is found
    /// so would be signed, counted and recorded as another one than the catalog's.
    package func hasSameBytes(as other: String) -> Bool {
        let (own, others) = (utf8.span, other.utf8.span)
        guard own.count == others.count else { return false }
        for index in own.indices where own[index] != others[index] { return false }
        return true
    }
}

extension String {
    /// With percent-encoded bytes decoded (RFC 3986 §2.1); `nil` where one is cut short, or the bytes are no UTF-8.
    package var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = Hexadecimal.bytes(String(decoding: rest.prefix(2), as: UTF8.self)), decoded.count == 1
            else { return nil }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// The text of a UUID in lowercase, of 16 octets at the most: 8-4-4-4-12 hexadecimal digits (RFC 9562 §4).
    static func uuid(octets count: Int, _ octet: (Int) -> UInt8) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            func append(_ character: UInt8) {
                text[end] = character
                end += 1
            }
            for place in 0..<Swift.min(count, 16) {
                if place == 4 || place == 6 || place == 8 || place == 10 { append(UInt8(ascii: "-")) }
                let value = octet(place)
                append(Hexadecimal.digit(value >> 4))
                append(Hexadecimal.digit(value & 15))
            }
            return end
        }
    }
}

/// Writes JSON (RFC 8259) straight into bytes, members in the order in which they are written.
public struct JSONWriter {
    /// The text so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Creates a writer with an empty text.
    ///
    /// - Parameter capacity: How many bytes to make room for.
    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object.
    ///
    /// - Parameter members: Writes the members, each with ``member(_:)`` or one of its shorter forms.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        nested(UInt8(ascii: "{"), members, UInt8(ascii: "}"))
    }

    /// Writes an array.
    ///
    /// - Parameter elements: Writes the elements.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        nested(UInt8(ascii: "["), elements, UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value is to be written next.
    ///
    /// - Parameter name: The name.
    public mutating func member(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member whose value is a string.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - value: Its value.
    public mutating func member(_ name: String, _ value: String) {
        member(name)
        string(value)
    }

    /// Writes a member whose value is a whole number.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - value: Its value.
    public mutating func member(_ name: String, _ value: Int64) {
        member(name)
        number(value)
    }

    /// Writes a whole number.
    ///
    /// - Parameter value: The number.
    public mutating func number(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes bytes as a string of their Base64 text (RFC 4648 §4, padded).
    ///
    /// - Parameter value: The bytes.
    public mutating func base64(_ value: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var index = 0
        while index < value.count {
            let isLast = (value.count - index < 3, value.count - index < 2)
            let second = isLast.1 ? 0 : value[index + 1]
            let third = isLast.0 ? 0 : value[index + 2]
            let group = UInt32(value[index]) << 16 | UInt32(second) << 8 | UInt32(third)
            bytes.append(Self.base64Digit(group >> 18))
            bytes.append(Self.base64Digit(group >> 12))
            bytes.append(isLast.1 ? UInt8(ascii: "=") : Self.base64Digit(group >> 6))
            bytes.append(isLast.0 ? UInt8(ascii: "=") : Self.base64Digit(group))
            index += 3
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func base64Digit(_ sextet: UInt32) -> UInt8 {
        let sextet = UInt8(truncatingIfNeeded: sextet & 0x3F)
        return switch sextet {
        case 0..<26: UInt8(ascii: "A") + sextet
        case 26..<52: UInt8(ascii: "a") + sextet - 26
        case 52..<62: UInt8(ascii: "0") + sextet - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    /// Writes `true` or `false`.
    ///
    /// - Parameter value: Which of them.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes a string, with the escapes that RFC 8259 §7 asks for and no others.
    ///
    /// - Parameter value: The string.
    public mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            if Self.needsEscapes(text) { escape(text) } else { bytes.append(contentsOf: text) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var isFound = false
        // To the end in any case: without a branch it goes by many bytes at a time.
        for byte in text {
            isFound = isFound || byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        }
        return isFound
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: Array("\\u00".utf8))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 0x0F)])
            default: bytes.append(byte)
            }
        }
    }

    private mutating func nested(_ open: UInt8, _ content: (inout JSONWriter) -> Void, _ close: UInt8) {
        separate()
        bytes.append(open)
        needsComma = false
        content(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}

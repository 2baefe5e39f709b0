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
        write(name, UInt8(ascii: ":"))
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
        bytes.append(addingCapacity: (value.count + 2) / 3 * 4 + 2) { output in
            let value = value.span
            output.append(UInt8(ascii: "\""))
            var index = 0
            while index < value.count {
                let isLast = (value.count - index < 3, value.count - index < 2)
                let second = isLast.1 ? 0 : value[index + 1]
                let third = isLast.0 ? 0 : value[index + 2]
                let group = UInt32(value[index]) << 16 | UInt32(second) << 8 | UInt32(third)
                output.append(Self.base64Digit(group >> 18))
                output.append(Self.base64Digit(group >> 12))
                output.append(isLast.1 ? UInt8(ascii: "=") : Self.base64Digit(group >> 6))
                output.append(isLast.0 ? UInt8(ascii: "=") : Self.base64Digit(group))
                index += 3
            }
            output.append(UInt8(ascii: "\""))
        }
    }

    /// The digit of the six lowest bits, found by adding up instead of by branches, which nobody can foresee here.
    private static func base64Digit(_ bits: UInt32) -> UInt8 {
        let sextet = Int32(truncatingIfNeeded: bits & 0x3F)
        // All bits set where the sextet is beyond 25, 51, 61 and 62.
        let (lower, digit, plus, slash) = (
            (25 - sextet) >> 8, (51 - sextet) >> 8, (61 - sextet) >> 8, (62 - sextet) >> 8
        )
        return UInt8(truncatingIfNeeded: sextet + 65 + (lower & 6) - (digit & 75) - (plus & 15) + (slash & 3))
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
        write(value, nil)
    }

    /// Writes a string and what follows it, all of it at once where nothing in it is to be escaped: to append byte by
    /// byte takes longer than what is appended.
    private mutating func write(_ value: String, _ following: UInt8?) {
        separate()
        var needsEscapes = false
        bytes.append(addingCapacity: value.utf8.count + 3) { output in
            let text = value.utf8.span
            output.append(UInt8(ascii: "\""))
            needsEscapes = Self.needsEscapes(text)
            guard !needsEscapes else { return }
            output.withUnsafeMutableBufferPointer { memory, count in
                text.withUnsafeBufferPointer { text in
                    count = memory[count...].initialize(fromContentsOf: text)
                }
            }
            output.append(UInt8(ascii: "\""))
            if let following { output.append(following) }
        }
        guard needsEscapes else { return }
        escape(value)
        bytes.append(UInt8(ascii: "\""))
        if let following { bytes.append(following) }
    }

    private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
        guard text.count >= EightBytes.count else {
            for index in text.indices where EightBytes.isMarked(text[index]) { return true }
            return false
        }
        var marks: UInt64 = 0
        var index = 0
        while index < text.count - EightBytes.count {
            marks |= EightBytes(text, at: index).marks
            index += EightBytes.count
        }
        // The last eight, some of which were among those before.
        return marks | EightBytes(text, at: text.count - EightBytes.count).marks != 0
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
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

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
        for byte in value.utf8 {
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
        bytes.append(UInt8(ascii: "\""))
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

/// Writes JSON (RFC 8259) straight into bytes, members in the order in which they are written.
@usableFromInline
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// `members` writes each with ``member(_:)`` or one of its shorter forms.
    @usableFromInline
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        nested(UInt8(ascii: "{"), members, UInt8(ascii: "}"))
    }

    @usableFromInline
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        nested(UInt8(ascii: "["), elements, UInt8(ascii: "]"))
    }

    /// Writes a member's name, in which nothing is to be escaped; its value is to be written next.
    @usableFromInline
    package mutating func member(_ name: StaticString) {
        name.withUTF8Buffer { name in
            bytes.append(addingCapacity: name.count + 4) { output in
                Self.begin(&output, name, after: needsComma)
            }
        }
        needsComma = false
    }

    /// Writes a member's name that is not known before the program runs; its value is to be written next.
    package mutating func member(named name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member whose value is a string.
    package mutating func member(_ name: StaticString, _ value: String) {
        var needsEscapes = false
        name.withUTF8Buffer { name in
            bytes.append(addingCapacity: name.count + value.utf8.count + 6) { output in
                Self.begin(&output, name, after: needsComma)
                needsEscapes = !Self.quote(value, &output)
            }
        }
        needsComma = true
        if needsEscapes { escape(value) }
    }

    /// Writes a member whose value is a whole number.
    package mutating func member(_ name: StaticString, _ value: Int64) {
        member(name)
        number(value)
    }

    /// Writes a member whose value is `true` or `false`.
    package mutating func flag(_ name: StaticString, _ value: Bool) {
        member(name)
        bool(value)
    }

    /// Writes a member whose value is an object.
    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        member(name)
        object(members)
    }

    /// Writes a member whose value is an array of strings.
    package mutating func member(_ name: StaticString, _ texts: some Sequence<String>) {
        list(name, texts) { $1.string($0) }
    }

    /// Writes a member whose value is an array of objects.
    @inlinable
    package mutating func objects<Element>(
        _ name: StaticString,
        _ elements: some Sequence<Element>,
        _ members: (Element, inout JSONWriter) -> Void
    ) {
        list(name, elements) { element, list in list.object { members(element, &$0) } }
    }

    /// Writes a member whose value is an array.
    @inlinable
    package mutating func list<Element>(
        _ name: StaticString,
        _ elements: some Sequence<Element>,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        member(name)
        array { list in
            for element in elements { write(element, &list) }
        }
    }

    /// An object by itself.
    package static func text(capacity: Int = 256, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.object(members)
        return writer.bytes
    }

    /// An object by itself, with a line feed after it.
    package static func line(capacity: Int, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        text(capacity: capacity, members) + [UInt8(ascii: "\n")]
    }

    package mutating func number(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a number with one decimal.
    package mutating func number(tenths value: Int64) {
        separate()
        let digits = "\(value.magnitude / 10).\(value.magnitude % 10)"
        bytes.append(contentsOf: (value < 0 ? "-" + digits : digits).utf8)
    }

    /// Writes bytes as a string of their Base64 text (RFC 4648 §4, padded).
    package mutating func base64(_ value: [UInt8]) {
        separate()
        bytes.append(addingCapacity: (value.count + 2) / 3 * 4 + 2) { output in
            let value = value.span
            output.append(UInt8(ascii: "\""))
            var index = 0
            while index < value.count {
                let isLast = (value.count - index < 3, value.count - index < 2)
                let second = isLast.1 ? 0 : value[index + 1]
                let third = isLast.0 ? 0 : value[index + 2]
                let digits = Self.base64Digits(value[index], second, third)
                output.append(digits[0])
                output.append(digits[1])
                output.append(isLast.1 ? UInt8(ascii: "=") : digits[2])
                output.append(isLast.0 ? UInt8(ascii: "=") : digits[3])
                index += 3
            }
            output.append(UInt8(ascii: "\""))
        }
    }

    /// The four digits of three bytes, chosen by masks instead of by branches, which nobody can foresee here.
    private static func base64Digits(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> SIMD4<UInt8> {
        let group = UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
        let sextets = SIMD4(
            UInt8(truncatingIfNeeded: group >> 18),
            UInt8(truncatingIfNeeded: group >> 12) & 0x3F,
            UInt8(truncatingIfNeeded: group >> 6) & 0x3F,
            UInt8(truncatingIfNeeded: group) & 0x3F
        )
        var digits = sextets &+ 65
        digits.replace(with: sextets &+ 71, where: sextets .> 25)
        digits.replace(with: sextets &- 4, where: sextets .> 51)
        digits.replace(with: UInt8(ascii: "+"), where: sextets .== 62)
        digits.replace(with: UInt8(ascii: "/"), where: sextets .== 63)
        return digits
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes a string, with the escapes that RFC 8259 §7 asks for and no others.
    package mutating func string(_ value: String) {
        separate()
        var needsEscapes = false
        bytes.append(addingCapacity: value.utf8.count + 2) { needsEscapes = !Self.quote(value, &$0) }
        if needsEscapes { escape(value) }
    }

    // The bytes go in one piece: to append byte by byte takes longer.

    /// Begins a member: a comma where one is needed, and its name.
    private static func begin(
        _ output: inout OutputSpan<UInt8>,
        _ name: UnsafeBufferPointer<UInt8>,
        after needsComma: Bool
    ) {
        if needsComma { output.append(UInt8(ascii: ",")) }
        output.append(UInt8(ascii: "\""))
        copy(name, &output)
        output.append(UInt8(ascii: "\""))
        output.append(UInt8(ascii: ":"))
    }

    /// Writes a quote, and where nothing in the text is to be escaped all of it and the other quote.
    ///
    /// If something is, it gives `false`, and ``escape(_:)`` is to follow.
    private static func quote(_ value: String, _ output: inout OutputSpan<UInt8>) -> Bool {
        let text = value.utf8.span
        output.append(UInt8(ascii: "\""))
        guard !needsEscapes(text) else { return false }
        text.withUnsafeBufferPointer { copy($0, &output) }
        output.append(UInt8(ascii: "\""))
        return true
    }

    private static func copy(_ text: UnsafeBufferPointer<UInt8>, _ output: inout OutputSpan<UInt8>) {
        output.withUnsafeMutableBufferPointer { memory, count in
            count = memory[count...].initialize(fromContentsOf: text)
        }
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

    /// Writes a text, each byte as it has to be, and the quote after it.
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

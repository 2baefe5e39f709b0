extension JSONReader {
    /// Its escapes are resolved.
    package mutating func readString() throws(JSONFault) -> String {
        try expect(.string)
        let start = position + 1
        let hasEscapes = try skipString()
        guard !hasEscapes else { return try resolved(bytes[start..<(position - 1)]) }
        return bytes.withUnsafeBufferPointer { bytes in
            String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<(position - 1)]), as: UTF8.self)
        }
    }

    /// Passes a string by, and checks all of it.
    @discardableResult
    mutating func skipString() throws(JSONFault) -> Bool {
        let plain = Self.plainCharacters(of: bytes.span.extracting(first: end), from: position + 1)
        // Mostly nothing is in it that has to be looked at.
        if plain.areASCII, plain.end < end, bytes[plain.end] == UInt8(ascii: "\"") {
            position = plain.end + 1
            return false
        }
        return try skipAnyString()
    }

    private mutating func skipAnyString() throws(JSONFault) -> Bool {
        position += 1
        let start = position
        var hasEscapes = false
        var isASCII = true
        while true {
            let plain = Self.plainCharacters(of: bytes.span.extracting(first: end), from: position)
            position = plain.end
            isASCII = isASCII && plain.areASCII
            switch current {
            case UInt8(ascii: "\""):
                guard isASCII || String(validating: bytes[start..<position], as: UTF8.self) != nil else {
                    throw JSONFault(.malformed, "The string is not valid UTF-8.")
                }
                position += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape()
            case nil: throw malformed("the string does not end")
            default: throw malformed("a control character must be escaped")
            }
        }
    }

    /// Passes a string by up to its closing quote, without a look at what is in it.
    mutating func passString() {
        position += 1
        while true {
            position = Self.plainCharacters(of: bytes.span.extracting(first: end), from: position).end
            switch current {
            case UInt8(ascii: "\""), nil: return
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
    }

    /// The end of the characters that stand for themselves in a string, and whether all of them are ASCII.
    private static func plainCharacters(of text: Span<UInt8>, from start: Int) -> (end: Int, areASCII: Bool) {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var index = start
        var union: UInt64 = 0
        while text.count - index >= EightBytes.count {
            let eight = EightBytes(text, at: index)
            let marks = eight.marks
            guard marks == 0 else {
                let bitsBefore = marks.trailingZeroBitCount - 7
                union |= eight.bits & (1 << UInt64(bitsBefore) - 1)
                return (index + bitsBefore / 8, union & highBits == 0)
            }
            union |= eight.bits
            index += EightBytes.count
        }
        while index < text.count, !EightBytes.isMarked(text[index]) {
            union |= UInt64(text[index])
            index += 1
        }
        return (index, union & highBits == 0)
    }

    /// Passes an escape by, both halves of a surrogate pair.
    private mutating func skipEscape() throws(JSONFault) {
        position += 1
        switch current {
        case UInt8(ascii: "u"):
            position += 1
            let unit = try readHexadecimalUnit()
            if UTF16.isTrailSurrogate(unit) { throw malformed("a surrogate stands alone") }
            guard UTF16.isLeadSurrogate(unit) else { return }
            guard current == UInt8(ascii: "\\") else { throw malformed("a surrogate stands alone") }
            position += 1
            guard current == UInt8(ascii: "u") else { throw malformed("a surrogate stands alone") }
            position += 1
            guard UTF16.isTrailSurrogate(try readHexadecimalUnit()) else {
                throw malformed("a surrogate stands alone")
            }
        case let byte? where Self.simpleEscape(byte) != nil: position += 1
        default: throw malformed("no such escape")
        }
    }

    private mutating func readHexadecimalUnit() throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Self.hexadecimalDigit(byte) else {
                throw malformed("four hexadecimal digits are expected")
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    /// The text of a string whose escapes were found to be right.
    func resolved(_ content: ArraySlice<UInt8>) throws(JSONFault) -> String {
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var escapes = JSONReader(Array(content))
        while let byte = escapes.current {
            escapes.position += 1
            guard byte == UInt8(ascii: "\\"), let escape = escapes.current else {
                units.append(byte)
                continue
            }
            escapes.position += 1
            if let simple = Self.simpleEscape(escape) {
                units.append(simple)
                continue
            }
            let first = try escapes.readHexadecimalUnit()
            var scalarValue = UInt32(first)
            if UTF16.isLeadSurrogate(first) {
                escapes.position += 2
                let second = try escapes.readHexadecimalUnit()
                scalarValue = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
            }
            guard let scalar = Unicode.Scalar(scalarValue) else { throw malformed("a surrogate stands alone") }
            units.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return String(decoding: units, as: UTF8.self)
    }

    private static func simpleEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension JSONReader {
    /// Reads the text of a plain value, a string's without its quotes and with its escapes resolved.
    ///
    /// Equal ones of a document mostly share their memory, and are found to be equal without a look at it.
    package mutating func readSharedText() throws(JSONFault) -> (type: JSONType, text: String) {
        let type = try nextType()
        let (place, hasEscapes) = try skipPlain(type)
        if hasEscapes { return (type, try resolved(bytes[place])) }
        if place.count <= SharedTexts.mostBytesInPlace {
            return (type, String(validated: bytes.span.extracting(place)))
        }
        let texts = sharedTexts ?? SharedTexts()
        sharedTexts = texts
        return (type, texts.text(bytes.span.extracting(place)))
    }
}

/// Texts that were read of late: a class, so that a reader, which has it, stays small.
final class SharedTexts {
    /// How many bytes a string may have that needs no memory of its own.
    static var mostBytesInPlace: Int { 15 }

    private var texts = InlineArray<16, String>(repeating: "")

    /// A text, of which there may be one already: UTF-8, known to be valid, of more than ``mostBytesInPlace``.
    func text(_ text: Span<UInt8>) -> String {
        let slot = (Int(text[text.count - 1]) &+ 5 &* Int(text[text.count / 2]) &+ text.count) % texts.count
        if EightBytes.areEqual(texts[slot].utf8.span, text) { return texts[slot] }
        let new = String(validated: text)
        texts[slot] = new
        return new
    }
}

extension String {
    /// A text that the reader found to be UTF-8.
    init(validated text: Span<UInt8>) {
        self = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
